// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/core/options/options.hpp>
#include <imbrex/core/record/block_recorder.hpp>
#include <imbrex/core/record/device_recorder.hpp>
#include <imbrex/core/record/recorder.hpp>
#include <imbrex/net/bootstrap/bootstrap.hpp>
#include <imbrex/net/network.hpp>
#include <imbrex/sched/scheduler.hpp>
#include <imbrex/trace/recording.hpp>

namespace imbrex::detail {

/// Properties of a machine's time that affect traces.
struct recorded_time {
  bool is_real = true;
  bool stands_still = false;  ///< constant while items run: records then get increasing numbers
};

/// This process's part of a run's trace, as `--trace` requests it.
class run_recording {
 public:
  /// Creates the file. `meeting`: the job, or null. `pes`: the PEs of this process. `job`: the number shared
  /// by all files of the run. Throws `error` if the file cannot be created.
  run_recording(const options& settings, const recorded_time& time, const bootstrap* meeting,
                const pe_range& pes, std::uint64_t job);

  /// Records the activity of a PE or the communication thread. Call it before it runs, first for the PEs, in
  /// order.
  void attach(processor& pe);
  void attach(scheduler& comm_thread);
  /// Records the activity of a device. False if its backend does not report operations.
  bool attach(device& used);
  /// Creates a recorder for `count` blocks of a kernel of an attached device. Null in simulated time, or if
  /// that is not possible.
  std::unique_ptr<block_recorder> blocks(const device& of, std::uint32_t count);
  /// Declares that this process's clock equals process 0's.
  void share_clock();
  /// Declares that the clocks differ. From now on `ask` is called on the first PE's thread to send requests,
  /// whose replies call `clock_answered`.
  void compare_clocks(std::function<void()> ask);
  void clock_answered(std::uint64_t sent_at, std::uint64_t there, std::uint64_t now);
  /// The track for records of the network that no PE observes.
  trace::track& track_of_network();

  /// The recorder of a PE of this process.
  recorder& recorder_of(int pe) { return *recorders_[static_cast<std::size_t>(pe - first_pe_)]; }

  /// Switches recording on or off in this process; each PE follows before its next item.
  void set_on(bool on);
  /// Writes all data to the disk, and warns the user if data were lost. Call it when nothing runs any more.
  void end();

 private:
  void attach(scheduler& watched, trace::track_class kind, int which);

  const int process_;
  const int first_pe_;
  const std::string file_;
  const trace::time_unit unit_;  ///< unit of PEs and communication threads
  const bool has_real_time_;
  trace::recording recording_;
  std::shared_ptr<block_tracks> blocks_ = std::make_shared<block_tracks>(recording_);
  std::optional<std::uint64_t> order_;  ///< counter shared by all recorders
  std::optional<clock_comparison> clocks_;
  std::vector<std::unique_ptr<recorder>> recorders_;
  std::vector<std::unique_ptr<device_recorder>> device_recorders_;
};

/// The recorder of this thread's PE; null if it is not recording.
recorder* recorder_here();

}  // namespace imbrex::detail
