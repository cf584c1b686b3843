// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>

namespace imbrex::mpi {

struct copy_state;

/// Timers of one copy: three of setitimer, and those of timer_create. Any thread.
class copy_timers {
 public:
  explicit copy_timers(copy_state& of) : copy_(of) {}
  ~copy_timers() { remove_all(); }

  /// Like setitimer and getitimer; null arguments are skipped. A child process does not inherit timers, and
  /// uses its own.
  int set(int which, const itimerval* new_value, itimerval* previous);
  int get(int which, itimerval* now);
  /// Like timer_create and timer_delete, for timers that send a signal to the process.
  int make(clockid_t clock, sigevent* event, timer_t* result);
  int remove(timer_t timer);
  void remove_all() noexcept;
  /// True if the copy has any.
  bool any() const noexcept;

  /// The copy whose timer has sent a signal; null if no copy's timer has. Sets the signal's value to the one
  /// that the copy has chosen. Signal handlers may call it.
  static copy_state* owner_of(siginfo_t& info) noexcept;

 private:
  struct record;

  std::optional<timer_t> timer_of(int which);
  int make(clockid_t clock, const sigevent& event, timer_t* result);

  copy_state& copy_;
  std::mutex mutex_;
  std::array<std::optional<timer_t>, 3> intervals_;
};

}  // namespace imbrex::mpi
