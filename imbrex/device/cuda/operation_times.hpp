// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/cuda/api.hpp>
#include <imbrex/device/operation_observer.hpp>

namespace imbrex {

/// The begin and end times of a GPU's operations, for an observer.
///
/// While there is an observer, each operation is enclosed by two events of its stream. The driver measures
/// their distance from an anchor: an event whose time by the host's clock is also known. So an operation
/// counts as begun once the one before it in its stream has ended, even while it waits for room. It ends
/// about half a microsecond late. Operations of a captured stream are not reported, but each launch of the
/// graph is. Reports happen when other operations are submitted, up to a millisecond late, or in `catch_up`.
/// Any thread.
///
/// An error of the driver ends the observation with a warning; the operation itself reports the error.
class operation_times {
  struct event_deleter {
    void operator()(cudaEvent_t e) const { static_cast<void>(cudaEventDestroy(e)); }
  };
  using event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, event_deleter>;

 public:
  /// Observes the device with that index; the clock of the run must outlive this.
  operation_times(int device, const detail::clock& host) : device_(device), host_(host) {}
  ~operation_times();
  operation_times(const operation_times&) = delete;
  operation_times& operator=(const operation_times&) = delete;

  /// Sets the observer; null for none: operations that have not ended are then not reported. False if the
  /// driver cannot measure times.
  bool observe(operation_observer* observer) noexcept;
  /// Reports all operations that have ended.
  void catch_up() noexcept;
  std::uint32_t next_stream() noexcept { return streams_.fetch_add(1, std::memory_order_relaxed); }

  /// Encloses the submission of an operation to a stream of the chosen device.
  class timed {
   public:
    /// The times in `what` are not set yet; objects that it refers to must outlive this.
    timed(operation_times& by, cudaStream_t in, const finished_operation& what) noexcept;
    ~timed();
    timed(const timed&) = delete;
    timed& operator=(const timed&) = delete;

   private:
    operation_times& by_;
    cudaStream_t in_;
    const finished_operation what_;
    const int exceptions_;  ///< exceptions in flight at the start: with one more, the operation was refused
    event begin_;           ///< null if the operation is not reported
  };

  /// Shortest times between two queries of ended operations, and between two comparisons with the host's
  /// clock.
  static constexpr nanoseconds between_looks{1'000'000};
  static constexpr nanoseconds between_anchors{1'000'000'000};
  static constexpr nanoseconds before_another_try{50'000'000};
  /// A slower anchor is discarded: something was before it on the device.
  static constexpr nanoseconds longest_anchor{20'000};
  /// Ended operations are held this long, so that operations of all streams are reported in order.
  static constexpr nanoseconds settling{100'000};

 private:
  struct anchor {
    event at;
    nanoseconds time;
  };
  struct running {
    finished_operation::type what;
    std::string name;
    std::string owner;
    std::uint32_t stream;
    std::size_t bytes;
    event begin;
    event end;
    std::shared_ptr<const anchor> since;
  };
  struct ended {
    running one;
    nanoseconds begin;
    nanoseconds end;
  };

  event begin(cudaStream_t in) noexcept;
  void end(cudaStream_t in, const finished_operation& what, event begun) noexcept;
  /// A used event, or a new one; null if the driver refuses, or there is no observer any more.
  event take_event();
  event new_event();
  void look(nanoseconds now);
  void find_ended();
  std::optional<ended> times_of(running op);
  /// Reports the operations that ended before that time.
  void tell(nanoseconds before);
  /// Tries once to set an anchor. Returns the time it took, if less than `longest`.
  std::optional<nanoseconds> set_anchor(nanoseconds longest);
  void stop() noexcept;
  void give_up(const char* why) noexcept;

  const int device_;
  const detail::clock& host_;
  std::atomic<std::uint32_t> streams_{0};
  std::atomic<bool> observed_{false};

  std::mutex lock_;  // guards the following members
  operation_observer* observer_ = nullptr;
  cudaStream_t side_ = nullptr;  ///< only for anchors
  std::shared_ptr<const anchor> anchor_;
  nanoseconds next_anchor_{0};
  nanoseconds last_look_{0};
  nanoseconds last_report_time_{0};
  std::vector<event> spare_;
  std::map<std::uint32_t, std::deque<running>> running_;  ///< by stream, in the stream's order
  std::map<std::uint32_t, nanoseconds> last_end_;         ///< by stream
  std::map<std::uint32_t, nanoseconds> reported_end_;     ///< by stream, as reported
  std::vector<ended> ended_;
};

}  // namespace imbrex
