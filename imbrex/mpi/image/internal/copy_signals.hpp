// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace imbrex::mpi {

struct copy_state;

/// Signals of one copy: its actions, its blocked signals, and its pending signals.
///
/// A process has one action for each signal, and receives an outside signal on any thread. Once a copy uses a
/// signal, the process' action is a function that dispatches it to copies. A signal caused by an instruction,
/// or sent by a thread to itself, goes to the copy of that thread. A timer's signal goes to the copy that
/// owns the timer. Another outside signal goes to all copies that handle it, as to all processes of a job. If
/// a copy runs on another thread, the signal is sent there; a waiting copy takes it when it continues.
///
/// Signal handlers call `give`; only the copy's own thread calls the others.
class copy_signals {
 public:
  using action = struct sigaction;
  static constexpr int most = 64;

  explicit copy_signals(copy_state& of) : copy_(of) {}

  /// Like sigaction. Any thread of the copy.
  int set_action(int number, const action* new_value, action* previous);
  /// Like pthread_sigmask. Called on the copy's own thread.
  int set_mask(int how, const sigset_t* new_value, sigset_t* previous);
  /// Raises a signal that the copy's own thread sends itself.
  int raise(int number);

  /// The copy begins or stops running on this thread. True if pending signals can be taken on the copy's
  /// stack.
  bool enter() noexcept;
  void leave() noexcept;
  /// Calls the handlers of pending signals that are not blocked. Called on the copy's stack.
  void take();
  /// Removes one pending signal of a set and returns its number; 0 if there is none.
  int accept(const sigset_t& of, siginfo_t* info);
  /// Pending signals.
  sigset_t waiting() const;
  /// Number of handler calls.
  unsigned handled() const noexcept { return handled_; }
  /// True once the copy has used signals: then sleeps must check for pending ones.
  bool are_used() const noexcept { return are_used_; }

  /// All that goes along to another process.
  struct values {
    std::array<action, most + 1> actions;
    std::array<siginfo_t, most + 1> infos;
    std::uint64_t waiting;
    bool has_mask;
    sigset_t mask;
  };
  values now() const;
  /// Gives a new copy, which does not run, the signals that it had in another process. False if the system
  /// refuses an action.
  bool become(const values& of_other);

  /// Delivers a signal of the process to the copy. True if the copy handles, ignores or blocks it.
  bool give(int number, const siginfo_t& info, void* context);

 private:
  bool is_blocked(int number) const noexcept;
  void use() noexcept;
  void wait(int number, const siginfo_t& info) noexcept;
  void call(int number, siginfo_t* info, void* context);
  void take_default(int number);

  copy_state& copy_;
  std::array<action, most + 1> actions_{};  // by signal number
  std::atomic<bool> are_used_ = false;
  std::atomic<std::uint64_t> waiting_ = 0;  // one bit for each pending signal
  std::array<siginfo_t, most + 1> infos_{};
  std::atomic<pid_t> thread_ = 0;  // runs the copy; 0: none
  std::atomic<unsigned> handled_ = 0;

  bool has_mask_ = false;  // differs from the thread's own mask
  sigset_t mask_{};        // the copy's mask while it does not run
  sigset_t outside_{};     // the thread's mask while the copy runs
};

}  // namespace imbrex::mpi
