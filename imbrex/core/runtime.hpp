// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/options.hpp>
#include <imbrex/base/out_of_memory.hpp>
#include <imbrex/core/processor.hpp>
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
class pe_watch;
class run_recording;
class run_statistics;
class virtual_machine;

}  // namespace detail

/// One run of one program: its PEs and what connects them. Several may live in one process.
class runtime final : public thread_machine::listener {
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

  const options& how() const { return how_; }
  int num_pes() const { return pes_.total; }
  /// This process among those of the run, and how many these are: 0 and 1 for one by itself.
  int process() const;
  int processes() const;

  // For the rest of the core; any thread.

  /// A number that no other array or group has, in any process.
  std::uint64_t new_collection();
  /// It has ended, and another may have its place.
  void give_back(std::uint64_t collection);
  /// On PE 0.
  void await_quiescence(int pe, const reply_address& who) { quiescence_waiters_.push_back({pe, who}); }
  void exit(int status);
  /// Ends the run; if nothing has ended it yet writes its text to the standard error output, else nothing happens.
  void fail(std::string_view text, int status = 1);
  /// Ends the run by the exception that is being handled, with nobody else to tell. Needs no memory.
  void escaped(int pe) noexcept override;
  bool ended() const { return status_.load(std::memory_order_acquire) != running; }

  // For a machine that steps the PEs itself.

  /// True if that PE is this process's.
  bool holds(int pe) const { return pes_.holds(pe); }
  /// A PE of this process.
  detail::processor& processor_at(int pe) const {
    return *processors_[static_cast<std::size_t>(pe - pes_.first)];
  }
  /// Queues the main task.
  void start(std::function<task<int>()> main);
  network::counts counted() const override;
  /// Nothing is left to do in this process. If that is so in all: answers those who wait for quiescence, or
  /// fails with a report of who waits for what.
  bool quiet(const network::counts& exchanged) override;
  /// What the run has come to in this process; only after `ended`.
  int status() const { return status_.load(std::memory_order_acquire); }
  /// Destroys all chares and messages, and says so if messages were left for elements that do not exist.
  void clear();

  // For the job; while nothing moves.

  /// On PE 0. False if nobody waits for quiescence.
  bool release_quiescence_waiters();
  /// A line for each thing in this process that waits.
  std::string describe_waits() const;
  void fail_deadlock(const std::string& waits);
  /// Ends the run in this process alone.
  void end_here(int status);

  virtual_clock& virtual_time() { return virtual_clock_; }
  detail::run_devices& devices() const { return *devices_; }
  /// The machine in virtual time; null on others.
  const detail::virtual_machine* modelled() const { return modelled_.get(); }
  transport& wire() const { return *transport_; }
  /// Null if the run is not traced.
  detail::run_recording* recording() const { return recording_.get(); }

 private:
  static constexpr int running = std::numeric_limits<int>::min();
  struct main_task;
  struct waiter {
    int pe;
    reply_address reply;
  };

  runtime(const options& how, bootstrap* meeting);
  /// Makes the PEs and what connects them, where it is known which ones this process has.
  void furnish(const host_share& mine, const bootstrap* meeting);
  const clock& clock_of_machine() const {
    if (how_.machine == machine_kind::threads) return real_clock_;
    return virtual_clock_;
  }
  /// As `escaped`, where there is no memory to describe an exception in.
  void fail_without_memory(int pe) noexcept;
  /// The run has come to that, if nothing else has come before. Whoever is first goes on to `tell_end`.
  bool claim(int status);
  void tell_end();
  void report_held_messages();
  /// Before the chares go, into whose memory the devices write. False if a device has failed.
  bool rest_devices();
  void watch(const bootstrap* meeting, const host_share& mine);

  memory_reserve reserve_;
  options how_;
  pe_range pes_;
  real_clock real_clock_;
  virtual_clock virtual_clock_;
  std::unique_ptr<detail::virtual_machine> modelled_;
  std::unique_ptr<detail::run_devices> devices_;
  std::unique_ptr<detail::run_recording> recording_;    ///< null if the run is not traced
  std::unique_ptr<detail::run_statistics> statistics_;  ///< null if nobody asked for them
  std::vector<std::unique_ptr<detail::pe_watch>> watches_;
  std::unique_ptr<detail::job> job_;  ///< null for a process by itself
  std::vector<std::unique_ptr<detail::processor>> processors_;
  std::unique_ptr<transport> transport_;           ///< of all PEs; null in virtual time, where each has one
  std::vector<std::unique_ptr<router>> routers_;   ///< of each PE, with a job
  std::vector<std::unique_ptr<transport>> links_;  ///< from each PE; none without delays
  std::unique_ptr<thread_machine> threads_;
  std::unique_ptr<main_task> main_;
  std::mutex collections_lock_;  ///< of the next two
  std::uint32_t places_of_collections_ =
      1;  ///< of this process, used so far; 0 is what proxies of nothing name
  std::vector<std::uint64_t> free_collections_;  ///< the next numbers of places that can be used again
  std::atomic<int> status_ = running;
  std::vector<waiter> quiescence_waiters_;  ///< PE 0's
};

}  // namespace imbrex
