// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <imbrex/core/options/options.hpp>
#include <imbrex/core/run/local_run.hpp>
#include <imbrex/core/run/machine.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/net/network.hpp>
#include <imbrex/net/transport.hpp>

namespace imbrex {

struct host_share;

namespace detail {

class job;
class nvtx_ranges;
class pe_statistics;
class run_recording;
class run_statistics;

/// One run of one program: owns its machine, devices, job and observers. Several runs may exist in one
/// process.
class runtime final : public local_run {
 public:
  /// Throws usage_error if an option has an impossible value, imbrex::error if the program's entries are
  /// ambiguous.
  explicit runtime(const options& settings);
  /// A run as one process of several. Throws imbrex::error also if the other processes do not join. `meeting`
  /// must outlive the runtime.
  runtime(const options& settings, bootstrap& meeting);
  /// A run on the machine that `make` returns, regardless of the options.
  runtime(const options& settings, const machine_maker& make);
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Runs a main task on PE 0, which may be another process's, until it ends, `exit` is called or the run
  /// fails. Returns the exit status.
  int run(std::function<task<int>()> main);
  /// The moment of the fault that has ended the run.
  std::optional<machine_moment> fault() const { return machine_->fault(); }

  /// The number of this process in the run, and the number of processes: 0 and 1 without a job.
  int process() const override;
  int processes() const override;
  run_recording* recording() const override;

  /// Queues the main task.
  void start(std::function<task<int>()> main);
  network::counts counted() const override;
  bool quiet(const network::counts& exchanged) override;
  /// Destroys all chares and messages, and reports messages left for elements that do not exist.
  void clear();
  void look_for_end() override;
  bool is_deserted() const override;

 private:
  struct main_task;

  runtime(const options& settings, bootstrap* meeting, const machine_maker& make);
  /// Makes the PEs and connects them, once it is known which PEs this process has.
  void build(const host_share& share, const bootstrap* meeting);
  void make_pes(const host_share& share);
  void check_balancer() const;
  void attach_observers(const bootstrap* meeting, const host_share& share);
  /// Connects the PEs to the transports of their messages.
  void connect_pes();
  void end_everywhere() override;
  /// Call before the chares are destroyed, since devices write into their memory. False if a device has
  /// failed.
  bool drain_devices();

  std::unique_ptr<detail::run_recording> recording_;              ///< null if the run is not traced
  std::unique_ptr<detail::run_statistics> statistics_;            ///< null if no statistics are requested
  std::vector<std::unique_ptr<detail::pe_statistics>> counters_;  ///< one for each PE, if there are
                                                                  ///< statistics
  std::vector<std::unique_ptr<detail::nvtx_ranges>> ranges_;      ///< one for each PE, with --nvtx and a tool
  std::unique_ptr<detail::job> job_;                              ///< null for a process by itself
  std::vector<std::unique_ptr<detail::transport>> wires_;         ///< over the machine's: links, devices
  std::unique_ptr<main_task> main_;
};

}  // namespace detail
}  // namespace imbrex
