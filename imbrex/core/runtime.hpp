// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/options.hpp>
#include <imbrex/core/collection.hpp>
#include <imbrex/core/link_transport.hpp>
#include <imbrex/core/pending.hpp>
#include <imbrex/core/processor.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/net/transport.hpp>
#include <imbrex/sched/thread_machine.hpp>

namespace imbrex {

/// One run of one program: its PEs and what connects them. Several may live in one process.
class runtime final : public thread_machine::listener {
 public:
  /// Throws usage_error if an option has an impossible value, imbrex::error if the program's entries are
  /// ambiguous.
  explicit runtime(const options& how);
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Runs a main task on PE 0 until it ends, `exit` is called or the run fails. Returns the exit status.
  int run(std::function<task<int>()> main);

  const options& how() const { return how_; }
  int num_pes() const { return static_cast<int>(processors_.size()); }

  // For the rest of the core; any thread.

  std::uint32_t new_collection() { return collections_.fetch_add(1, std::memory_order_relaxed); }
  void await_quiescence(const reply_address& who);
  void exit(int status);
  /// Ends the run; the first call writes its text to the standard error output, later ones are dropped.
  void fail(const std::string& text, int status = 1);
  bool ended() const { return status_.load(std::memory_order_acquire) != running; }

  // For a machine that steps the PEs itself.

  detail::processor& processor_at(int pe) const { return *processors_[static_cast<std::size_t>(pe)]; }
  /// Queues the main task.
  void start(std::function<task<int>()> main);
  /// Nothing is left to do: answers those who wait for quiescence, or fails with a report of who waits for
  /// what.
  void quiet() override;
  /// What the run has come to; only after `ended`.
  int status() const { return status_.load(std::memory_order_acquire); }
  /// Destroys all chares and messages, and says so if messages were left for elements that do not exist.
  void clear();
  std::string deadlock_report() const;
  virtual_clock& virtual_time() { return virtual_clock_; }
  transport& wire() const { return *transport_; }

 private:
  static constexpr int running = std::numeric_limits<int>::min();
  struct main_task;
  struct waiter {
    int pe;
    reply_address reply;
  };

  void escaped(int pe) noexcept override;
  bool release_quiescence_waiters();
  void report_held_messages();

  options how_;
  real_clock real_clock_;
  virtual_clock virtual_clock_;
  std::vector<std::unique_ptr<detail::processor>> processors_;
  std::unique_ptr<transport> transport_;
  std::vector<std::unique_ptr<link_transport>> links_;  // from each PE; none without delays
  std::unique_ptr<thread_machine> threads_;
  std::unique_ptr<main_task> main_;
  std::atomic<std::uint32_t> collections_ = 1;  // 0 is what proxies of nothing name
  std::atomic<int> status_ = running;
  std::mutex waiters_lock_;
  std::vector<waiter> quiescence_waiters_;
  std::mutex failure_lock_;
};

namespace detail {

/// The number of the collection of single chares of a class: by the class's place among the program's
/// messages, so equal in all processes.
template <class T>
std::uint32_t singles_of() {
  return singles_bit | destruction_request<T>::type_record.id;
}

template <class Main>
task<int> main_of(Main& main) {
  if constexpr (std::is_same_v<std::invoke_result_t<Main&>, task<int>>) {
    const int status = co_await main();
    co_return status;
  } else {
    co_await main();
    co_return 0;
  }
}

int run_with(const options& how, std::function<task<int>()> main);
/// Takes the runtime's options out of a command line and runs with them; a usage_error is written to the
/// standard error output and gives status 2.
int run_command_line(int& argc, char** argv, std::function<task<int>()> main);

}  // namespace detail

/// Runs a program: starts the PEs, runs `main` (a coroutine of type task<> or task<int>) on PE 0 and returns
/// when it ends, with the exit status: what the main task returns, what `exit` was given, 1 after a failure
/// (its text has been written to the standard error output), 2 for a wrong command line. Takes the runtime's
/// own options (`--pes` and the like, see `options`) out of argc and argv and leaves the rest.
template <class Main>
int run(int& argc, char** argv, Main main) {
  return detail::run_command_line(argc, argv, [&main] { return detail::main_of(main); });
}

/// The same with options from elsewhere.
template <class Main>
int run(const options& how, Main main) {
  return detail::run_with(how, [&main] { return detail::main_of(main); });
}

/// The PE that this runs on. Throws imbrex::error outside a run.
inline int pe() { return detail::processor::here().pe(); }
/// How many PEs the run has.
inline int num_pes() { return detail::processor::here().num_pes(); }

/// Ends the run with that exit status, from anywhere. Entries that run now run on until they next suspend or
/// end.
void exit(int status = 0);

/// Ready when no message is in flight or queued, nothing runs and no timer is set; whoever is suspended then
/// waits for something that only a new message can bring.
pending<void> quiescence();

}  // namespace imbrex
