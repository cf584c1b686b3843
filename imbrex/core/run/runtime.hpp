// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/core/run/local_run.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/net/network.hpp>
#include <imbrex/net/transport.hpp>
#include <imbrex/sched/thread_machine.hpp>

namespace imbrex {

class router;
struct host_share;

namespace detail {

class job;
class run_devices;
class pe_statistics;
class run_recording;
class run_statistics;
class simulated_machine;

}  // namespace detail

/// One run of one program: its PEs and what connects them. Several may live in one process.
class runtime final : public detail::local_run, public thread_machine::listener {
 public:
  /// Throws usage_error if an option has an impossible value, imbrex::error if the program's entries are
  /// ambiguous.
  explicit runtime(const options& how);
  /// The same as one process of several. Throws imbrex::error also if the others do not come. `meeting` must
  /// outlive the runtime.
  runtime(const options& how, bootstrap& meeting);
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Runs a main task on PE 0, which may be another process's, until it ends, `exit` is called or the run
  /// fails. Returns the exit status.
  int run(std::function<task<int>()> main);

  /// This process among those of the run, and how many these are: 0 and 1 for one by itself.
  int process() const override;
  int processes() const override;
  detail::run_recording* recording() const override;
  const device_model* model() const override;

  void escaped(int pe) noexcept override { local_run::escaped(pe); }
  /// Queues the main task.
  void start(std::function<task<int>()> main);
  network::counts counted() const override;
  bool quiet(const network::counts& exchanged) override;
  /// Destroys all chares and messages, and says so if messages were left for elements that do not exist.
  void clear();
  /// Of all PEs; on machines with a common one.
  transport& wire() const { return *transport_; }

 private:
  struct main_task;

  runtime(const options& how, bootstrap* meeting);
  /// Makes the PEs and what connects them, where it is known which ones this process has.
  void furnish(const host_share& mine, const bootstrap* meeting);
  const clock& clock_of_machine() const {
    if (how_.machine == machine_kind::threads) return real_clock_;
    return simulated_clock_;
  }
  void end_everywhere() override;
  void stop() override;
  /// Tells the observers of all PEs, where one thread steps them.
  template <class Event>
  void tell_threads(const Event& event);
  /// Before the chares go, into whose memory the devices write. False if a device has failed.
  bool rest_devices();
  void watch(const bootstrap* meeting, const host_share& mine);

  std::unique_ptr<detail::simulated_machine> simulated_;
  std::unique_ptr<detail::run_recording> recording_;              ///< null if the run is not traced
  std::unique_ptr<detail::run_statistics> statistics_;            ///< null if nobody asked for them
  std::vector<std::unique_ptr<detail::pe_statistics>> counters_;  ///< of each PE, with statistics
  std::unique_ptr<detail::job> job_;                              ///< null for a process by itself
  std::unique_ptr<transport> transport_;           ///< of all PEs; null in simulated time, where each has one
  std::vector<std::unique_ptr<router>> routers_;   ///< of each PE, with a job
  std::vector<std::unique_ptr<transport>> links_;  ///< from each PE; none without delays
  std::unique_ptr<thread_machine> threads_;
  std::unique_ptr<main_task> main_;
};

}  // namespace imbrex
