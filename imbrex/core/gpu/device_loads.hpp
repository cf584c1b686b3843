// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/operation_observer.hpp>
#include <imbrex/device/work_meter.hpp>

namespace imbrex::detail {

/// Compares the times of a device's operations with the estimated ones, by the names of operations.
///
/// Operations of a stream end in their order, so the first one that ends is the first one that was submitted
/// since the stream was idle. At each moment the running kernels divide the device by their estimated shares,
/// and so do copies each of the two ways between host and device.
class operation_comparison {
 public:
  /// The stream has no work, and its next operations are compared.
  void begin(std::uint32_t stream) { streams_[stream].clear(); }
  bool has_begun(std::uint32_t stream) const { return streams_.contains(stream); }
  /// An operation of the stream was submitted.
  void add(std::uint32_t stream, std::string_view name, const device_work& estimate);
  /// An operation of the stream has ended. If it is not the one that is awaited, the stream is left out.
  /// Others only count as taking their share of the device.
  void finish(const finished_operation& operation);
  /// The measured seconds over the estimated ones, by name, of all operations that have ended.
  std::map<std::string, double, std::less<>> factors() const;

 private:
  struct awaited {
    std::string name;
    device_work estimate;
  };
  struct ended {
    std::string name;
    device_work estimate;
    finished_operation::type what;
    double begin;  ///< seconds
    double end;    ///< seconds
    bool was_awaited;
  };
  /// The use of the device by an operation.
  struct use;
  struct sums {
    double measured = 0;
    double estimated = 0;
  };

  void measure(finished_operation::type what, std::map<std::string, sums, std::less<>>& by_name) const;

  std::map<std::uint32_t, std::deque<awaited>> streams_;
  std::vector<ended> ended_;
  std::map<std::string, device_work, std::less<>> estimates_;  ///< last ones, by name
};

/// The loads of a device: charges the work that PEs submit to the elements that run there. Only in runs that
/// measure loads. The operations of every eighth period of the first PE of the device in this process are
/// timed by events, and the estimates are scaled from then on. Any thread.
class device_loads final : public work_meter, public operation_observer {
 public:
  explicit device_loads(device& of) : of_(of) {}

  void submits(stream_backend& to) noexcept override;
  void submitted(stream_backend& to, std::string_view name, const device_work& work) noexcept override;
  void finished(const finished_operation& operation) noexcept override;

  /// Adds a PE of this process that has the device; before the PE runs.
  void add(int pe) {
    pes_.push_back(pe);
    first_pe_ = pes_.front();
  }
  /// Sets the PEs of all processes that have the device, ascending; before they run.
  void set_pes(std::vector<int> pes) { pes_ = std::move(pes); }
  const std::vector<int>& pes() const { return pes_; }

  /// Notes the end of a period of a PE.
  void end_period(int pe) {
    if (pe == first_pe_) end_period_of_first();
  }

 private:
  void end_period_of_first();
  void begin_comparison() noexcept;
  void end_comparison() noexcept;

  device& of_;
  std::vector<int> pes_;
  int first_pe_ = -1;  ///< in this process
  unsigned periods_ = 0;
  std::atomic<bool> compares_ = false;  ///< the operations that are submitted now
  std::atomic<bool> observes_ = false;  ///< operations that end
  std::mutex lock_;                     // guards the following members
  operation_comparison comparison_;
  std::map<std::string, double, std::less<>> factors_;  ///< by name; 1 for others
};

}  // namespace imbrex::detail
