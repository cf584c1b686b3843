// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/work.hpp>
#include <imbrex/core/extension/fiber.hpp>
#include <imbrex/coro/waiter.hpp>
#include <imbrex/mpi/memory/device_memory.hpp>
#include <imbrex/mpi/rank/access_table.hpp>
#include <imbrex/mpi/rank/callback_stack.hpp>
#include <imbrex/mpi/rank/journey.hpp>
#include <imbrex/mpi/rank/program.hpp>
#include <imbrex/mpi/rank/request.hpp>
#include <imbrex/mpi/rank/transfers.hpp>
#include <imbrex/sched/timer.hpp>

namespace imbrex {
struct scope;
class stream;
}  // namespace imbrex

namespace imbrex::mpi {

class awaited_by_rank;

/// The MPI function that a rank is executing, and its text in reports.
struct mpi_call {
  const char* function = nullptr;
  std::string (*describe)(const void* communicator) = nullptr;
  const void* communicator = nullptr;
};

/// One rank of a program: a chare (`rank_chare`) with a single entry. The entry runs the program's code on a
/// stack of its own and suspends wherever a function of MPI waits.
///
/// Only the rank's PE touches a rank. This header is without templates of chares, since each function of MPI
/// includes it.
class rank {
 public:
  rank(const rank&) = delete;
  rank& operator=(const rank&) = delete;

  /// The rank whose code runs on this thread; null if there is none.
  static rank* current() { return current_; }

  int number() const { return number_; }
  int ranks() const { return program_.ranks; }
  rank_state& state() const { return *state_; }
  /// The stack that the rank's code runs on.
  const fiber& stack() const { return callbacks_.is_running() ? callbacks_.stack() : *fiber_; }

  mpi_call call;  ///< the innermost call; set by `call_frame`
  transfers messages;
  access_table accesses;
  device_memory devices;           ///< finds which addresses lie in memory of devices
  journey way{*this};              ///< to another process
  std::optional<double> own_load;  ///< seconds that the program has set for balancers; empty: measured ones

  /// Waits until a request is done.
  void await(request& q);
  /// Waits until all requests are done. Null pointers count as done.
  void await_all(std::span<request* const> some);
  /// Waits until at least one request is done.
  void await_any(std::span<request* const> some);
  /// Waits until a message matches this receive.
  packet& await_message(const envelope& of_receive);
  /// Marks a request as done; a rank that awaits it continues.
  void complete(request& q) {
    q.is_done = true;
    if (std::exchange(q.is_awaited, false) && --waits_.count == 0) wake();
    if (q.finished != nullptr) q.finished(q);
  }

  /// Yields: everything that is ready on this PE runs first.
  void give_way();
  /// Yields once in `looks_each_time` calls. Called by MPI functions that had nothing to wait for: a
  /// rank may poll for the progress of another one, which must run. O(1).
  void give_way_at_times() {
    constexpr std::uint32_t looks_each_time = 64;
    if (++waits_.looks % looks_each_time == 0) give_way();
  }
  /// Suspends the rank for `time` on the machine's clock, while others run on this PE; 0 yields. False, and
  /// nothing has happened, in a function that MPI has called: such a function must not wait.
  bool sleep_for(nanoseconds time);
  /// Moves the rank to PE `to` of this process and continues there.
  void move_to(int to);
  /// Called in a child process that the rank has made: no rank runs there.
  static void leave_in_child();
  /// Names this rank in reports of waiting ranks: it has ended with the status 0 before MPI_Finalize.
  void note_early_end();
  /// Ends the rank's code. Called on the rank's stack.
  [[noreturn]] void end(int status);
  /// Suspends the rank for ever while the run ends. Called on the rank's stack.
  [[noreturn]] void stop();

  /// Runs a function on the PE's stack once the current work has returned. The function may begin sends and
  /// receives.
  struct step : detail::work {
    rank* owner = nullptr;
    void (*advance)(step&) = nullptr;
    bool is_queued = false;

   private:
    friend class rank;
    static void run(detail::work& item);
    static const detail::work_type type_of_steps;
  };
  void queue(step& what);

  /// Runs a callback of the program (operation, attribute function, error handler) that may call MPI but must
  /// not wait. Uses the rank's stack if the rank's code runs, else the callback stack. Throws imbrex::error
  /// if the callback waits or throws; then the run has failed.
  template <typename F>
  void run_as_code(F& what) {
    if (current_ == this) return what();
    run_callback([](void* function) { (*static_cast<F*>(function))(); }, &what);
  }

  /// Handles a message on the PE's stack, then continues the rank's code if the message has woken it.
  template <class F>
  void deliver(F what) {
    delivery_ = delivery::active;
    what();
    if (std::exchange(delivery_, delivery::none) == delivery::has_woken) go_on();
  }
  /// Continues the rank's code, which waits, soon.
  void wake();

  // Called by the body of the chare's entry.
  bool start(scope& entry, const waiter& awaiter);
  /// Ends the entry's body: at its end, when the rank leaves its process, or when a run is given up.
  void leave_entry() noexcept;
  std::exception_ptr take_error() { return std::exchange(entry_.error, nullptr); }
  int status() const { return entry_.status; }

 protected:
  explicit rank(int number);
  ~rank();
  /// Makes the rank's stack, code and state, unless they are there.
  void make_code();

 private:
  friend class journey;
  friend class rank_wait;
  class wait;
  struct ready_item : detail::work {
    rank* owner;
    static void run(detail::work& item);
    static const detail::work_type type_of_item;
  };
  struct alarm_item : detail::timer {
    rank* owner;
    static void run(detail::work& item);
    static const detail::work_type type_of_item;
  };
  /// The entry that the rank's code is.
  struct entry_state {
    scope* of = nullptr;
    waiter awaiter;
    std::exception_ptr error;
    int status = 0;
  };
  struct wait_state {
    std::size_t count = 0;          ///< requests that must be done before the rank continues
    const request* only = nullptr;  ///< the single awaited request, for reports
    bool moves = false;
    bool must_attend = false;  ///< when the rank continues, `rank_code::attend` is to be called
    std::uint32_t looks = 0;   ///< calls that had nothing to wait for
  };
  struct queued_items {
    ready_item ready{};
    alarm_item alarm{};  ///< timer of `sleep_for`
  };
  enum class delivery : std::uint8_t { none, active, has_woken };

  static void body(void* self);
  /// Continues the rank's code. Called on the PE's stack.
  void go_on();
  void run_code();
  void begin_code();
  void end_code();
  void run_callback(void (*function)(void* object), void* object);
  [[noreturn]] void refuse_in_callback(const std::string& what);
  /// Suspends the rank until `wake`. Called on the rank's stack.
  void block();
  void send_turn();

  static inline constinit thread_local rank* current_ = nullptr;

  const int number_;
  const program& program_;
  std::unique_ptr<rank_code> code_;  ///< holds functions that the state may call at its end
  std::unique_ptr<rank_state> state_;
  rank_objects* objects_ = nullptr;
  std::unique_ptr<fiber> fiber_;
  callback_stack callbacks_;
  std::unique_ptr<wait> wait_;
  std::unique_ptr<awaited_by_rank> awaited_;  ///< by `mpi::wait`
  entry_state entry_;
  wait_state waits_;
  delivery delivery_ = delivery::none;
  queued_items items_;
};

/// Sets the MPI function that a rank is executing, for the lifetime of this object. Frames nest: a function
/// that MPI has called may call others.
class call_frame {
 public:
  call_frame(rank& of, const mpi_call& what) : of_(of), outer_(std::exchange(of.call, what)) {}
  ~call_frame() { of_.call = outer_; }
  call_frame(const call_frame&) = delete;
  call_frame& operator=(const call_frame&) = delete;

 private:
  rank& of_;
  mpi_call outer_;
};

}  // namespace imbrex::mpi
