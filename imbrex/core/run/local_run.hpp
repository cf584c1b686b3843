// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/out_of_memory.hpp>
#include <imbrex/core/collective/waits.hpp>
#include <imbrex/core/options/options.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/core/run/attendant.hpp>
#include <imbrex/core/run/exception_watch.hpp>
#include <imbrex/net/network.hpp>

namespace imbrex::detail {

class machine;

/// This process's part of a run, as its machine and its job see it: its PEs, its devices and the run's
/// status.
class local_run : public run_services {
 public:
  local_run(const local_run&) = delete;
  local_run& operator=(const local_run&) = delete;

  const options& how() const final { return how_; }
  int num_pes() const { return pes_.total; }
  bool holds(int pe) const final { return pes_.holds(pe); }
  std::span<const int> host_starts() const final { return host_starts_; }
  std::span<const int> node_starts() const final { return node_starts_; }
  std::span<const int> process_starts() const final { return process_starts_; }
  /// A PE of this process; `pe` must be one.
  processor& processor_at(int pe) const { return *processors_[static_cast<std::size_t>(pe - pes_.first)]; }
  /// All PEs of this process.
  const std::vector<std::unique_ptr<processor>>& processors() const { return processors_; }
  run_devices& devices() const final { return *devices_; }
  const device_model* model() const final;
  const std::shared_ptr<executor_gate>& gate() const final { return gate_; }

  // Functions for any thread.

  std::uint64_t new_collection() final;
  void give_back(std::uint64_t collection) final;
  void exit(int status) final;
  void fail(std::string_view text, int status = 1) final;
  /// Requires no memory.
  void on_uncaught(int pe) noexcept final;
  void exception_waits() noexcept final { watch_.note(); }
  /// Ends the run in this process alone.
  void end_here(int status);
  bool ended() const { return status_.load(std::memory_order_acquire) != running; }
  /// Only after `ended`.
  int status() const final { return status_.load(std::memory_order_acquire); }
  /// The time that running entries have after the end, before the process ends without them.
  std::chrono::milliseconds grace() const;

  /// Answers those who have asked for a report. Called by the thread that waits for the PEs or steps them.
  void attend();
  /// As `attendant::socket`.
  int report_socket() const;

  // Functions of a job, called by the thread that waits for the PEs.

  /// Ends the run here if other processes have left it; called periodically while PEs run.
  virtual void look_for_end() {}
  /// True if another process that this one depends on has died.
  virtual bool is_deserted() const { return false; }

  // Functions for when nothing is in progress.

  /// For a thread that steps all PEs, when nothing is left to do. Waits for posts of threads that are no PE,
  /// if there may be any; otherwise like `quiet`.
  void idle();

  void await_quiescence(int pe, const reply_address& who) final { quiescence_waiters_.push_back({pe, who}); }
  void await_quiescence_of_stop(const reply_address& who) final { stop_waiter_ = {0, who}; }
  /// Nothing is left to do in this process. If that holds in all processes, replies to the waiters for
  /// quiescence, or fails with a report of all waits.
  virtual bool quiet(const network::counts& exchanged) = 0;
  /// On PE 0. False if there is no waiter for quiescence.
  bool release_quiescence_waiters();
  /// The waits in this process.
  known_waits describe_waits() const;
  void fail_deadlock(const known_waits& waits);
  /// This process's message counts; only while its PEs sleep.
  virtual network::counts counted() const { return {}; }

 protected:
  explicit local_run(options settings);
  ~local_run();

  /// Sets the run's status, unless it is set already. The caller that succeeds goes on to `end_everywhere`.
  bool claim(int status);
  void report_held_messages();

  /// The run has ended: notifies the other processes, and stops the PEs of this one.
  virtual void end_everywhere() = 0;

  memory_reserve reserve_;
  const std::shared_ptr<executor_gate> gate_;
  options how_;
  pe_range pes_;
  std::vector<int> host_starts_{0};
  std::vector<int> node_starts_{0};
  std::vector<int> process_starts_{0};
  std::unique_ptr<machine> machine_;  ///< the machine of this process's PEs; its clocks are those of the PEs
                                      ///< and the devices
  std::unique_ptr<run_devices> devices_;
  std::vector<std::unique_ptr<processor>> processors_;
  exception_watch watch_;
  std::unique_ptr<attendant> desk_;  ///< null before and after the run

 private:
  static constexpr int running = std::numeric_limits<int>::min();
  struct quiescence_waiter {
    int pe;
    reply_address reply;
  };

  /// Like `on_uncaught`, without memory to describe the exception.
  void fail_without_memory(int pe) noexcept;

  std::mutex collections_lock_;  ///< guards places_of_collections_ and free_collections_
  std::uint32_t places_of_collections_ =
      1;  ///< number of places of this process used so far; place 0 is for empty proxies
  std::vector<std::uint64_t> free_collections_;  ///< the next numbers of reusable places
  std::atomic<int> status_ = running;
  std::vector<quiescence_waiter> quiescence_waiters_;  ///< touched by PE 0 only
  std::optional<quiescence_waiter> stop_waiter_;       ///< touched by PE 0 only
};

}  // namespace imbrex::detail
