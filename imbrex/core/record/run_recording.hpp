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

/// The time of a machine, as traces need to know it.
struct recorded_time {
  bool is_real = true;
  bool stands_still = false;  ///< while items run: records then get numbers that grow
};

/// The trace of a run, as far as this process writes it: what `--trace` asks for.
class run_recording {
 public:
  /// Creates the file. `meeting`: the job, or null; `pes`: those of this process; `job`: the number by which
  /// the files of one run know each other. Throws `error` if that cannot be.
  run_recording(const options& settings, const recorded_time& time, const bootstrap* meeting,
                const pe_range& pes, std::uint64_t job);

  /// Records what a PE does, or the communication thread; before it runs. The PEs first, in order.
  void attach(processor& pe);
  void attach(scheduler& comm_thread);
  /// Records what a device does. False if its backend cannot tell.
  bool attach(device& used);
  /// What records so many blocks of a kernel of a device that is attached; null in simulated time, or if that
  /// cannot be.
  std::unique_ptr<block_recorder> blocks(const device& of, std::uint32_t count);
  /// This process's clock is that of process 0.
  void share_clock();
  /// It is not: from now on `ask` is called, on the first PE's thread, to send the question that
  /// `clock_answered` is the answer to.
  void compare_clocks(std::function<void()> ask);
  void clock_answered(std::uint64_t sent_at, std::uint64_t there, std::uint64_t now);
  /// For what nobody else can tell of the network.
  trace::track& track_of_network();

  /// What records a PE of this process.
  recorder& recorder_of(int pe) { return *recorders_[static_cast<std::size_t>(pe - first_pe_)]; }

  /// Switches recording on or off in this process, on each PE before its next item.
  void set_on(bool on);
  /// When nothing runs any more: brings all to the disk, and tells the user if that is not all.
  void end();

 private:
  void attach(scheduler& watched, trace::track_class kind, int which);

  const int process_;
  const int first_pe_;
  const std::string file_;
  const trace::time_unit unit_;  ///< of PEs and communication threads
  const bool has_real_time_;
  trace::recording recording_;
  std::shared_ptr<block_tracks> blocks_ = std::make_shared<block_tracks>(recording_);
  std::optional<std::uint64_t> order_;  ///< of all recorders
  std::optional<clock_comparison> clocks_;
  std::vector<std::unique_ptr<recorder>> recorders_;
  std::vector<std::unique_ptr<device_recorder>> device_recorders_;
};

}  // namespace imbrex::detail
