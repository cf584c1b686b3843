// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace imbrex::mpi {

struct copy_state;

/// The signals of one copy: what it does with them, which it blocks, and which wait for it.
///
/// A process has one action for each signal, and takes one from outside on any thread. As soon as a copy asks
/// for a signal, the process' action is a function that gives it to copies: one for what an instruction has
/// done, or a thread has sent itself, to the copy of that thread; one of a timer to the copy whose timer it
/// is; another one from outside to all copies that handle it, as to all processes of a job. A copy that runs
/// on another thread is sent the signal there, and one that waits takes it when it goes on.
///
/// Handlers of signals call `give`; all others are the copy's thread's.
class copy_signals {
 public:
  using action = struct sigaction;
  static constexpr int most = 64;

  explicit copy_signals(copy_state& of) : copy_(of) {}

  /// As sigaction. Any thread of the copy.
  int set_action(int number, const action* wanted, action* previous);
  /// As pthread_sigmask, on the copy's own thread.
  int set_mask(int how, const sigset_t* wanted, sigset_t* previous);
  /// The copy's own thread has sent itself a signal.
  int raise(int number);

  /// The copy comes to this thread, or leaves it. True if signals wait that it can take on its stack.
  bool enter() noexcept;
  void leave() noexcept;
  /// Calls the handlers of signals that wait and are not blocked; on the copy's stack.
  void take();
  /// Takes out one of these that waits, and says which; 0 if there is none.
  int accept(const sigset_t& of, siginfo_t* info);
  /// Those that wait.
  sigset_t waiting() const;
  /// How many handlers have been called.
  unsigned handled() const noexcept { return handled_; }
  /// True once it has asked for any signal: who sleeps looks for them.
  bool are_used() const noexcept { return are_used_; }

  /// A signal of the process is the copy's, too. True if it handles, ignores or blocks it.
  bool give(int number, const siginfo_t& info, void* context);

 private:
  bool is_blocked(int number) const noexcept;
  void use() noexcept;
  void wait(int number, const siginfo_t& info) noexcept;
  void call(int number, siginfo_t* info, void* context);
  void take_default(int number);

  copy_state& copy_;
  std::array<action, most + 1> actions_{};  // by number
  std::atomic<bool> are_used_ = false;
  std::atomic<std::uint64_t> waiting_ = 0;  // a bit each
  std::array<siginfo_t, most + 1> infos_{};
  std::atomic<pid_t> thread_ = 0;  // on which the copy runs; 0: none
  std::atomic<unsigned> handled_ = 0;

  bool has_mask_ = false;  // another one than the thread's
  sigset_t mask_{};        // while it does not run
  sigset_t outside_{};     // of the thread, while it runs
};

}  // namespace imbrex::mpi
