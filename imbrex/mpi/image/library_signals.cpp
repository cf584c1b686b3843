// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>

#include <imbrex/mpi/image/internal/copy_sleep.hpp>
#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

using action = copy_signals::action;
using std::chrono::nanoseconds;

int copy_sigaction(int number, const action* new_value, action* previous) {
  return calling_copy().signals.set_action(number, new_value, previous);
}

sighandler_t set_handler(int number, sighandler_t handler, int flags) {
  action new_value{}, previous{};
  new_value.sa_handler = handler;
  new_value.sa_flags = flags;
  sigemptyset(&new_value.sa_mask);
  return copy_sigaction(number, &new_value, &previous) == 0 ? previous.sa_handler : SIG_ERR;
}
sighandler_t copy_signal(int number, sighandler_t handler) {
  return set_handler(number, handler, SA_RESTART);
}
sighandler_t copy_sysv_signal(int number, sighandler_t handler) {
  return set_handler(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}

// Threads that a copy has started have their own masks, like any thread.
int copy_pthread_sigmask(int how, const sigset_t* new_value, sigset_t* previous) {
  copy_state& s = calling_copy();
  return s.runs_here() ? s.signals.set_mask(how, new_value, previous)
                       : ::pthread_sigmask(how, new_value, previous);
}
int copy_sigprocmask(int how, const sigset_t* new_value, sigset_t* previous) {
  const int error = copy_pthread_sigmask(how, new_value, previous);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int copy_raise(int number) {
  copy_state& s = calling_copy();
  return s.runs_here() ? s.signals.raise(number) : ::raise(number);
}
/// A signal that a copy sends to its process goes to the copy: in a process of its own it would get it.
int copy_kill(pid_t process, int number) {
  return process == ::getpid() && number != 0 ? copy_raise(number) : ::kill(process, number);
}
int copy_pthread_kill(pthread_t thread, int number) {
  return ::pthread_equal(thread, ::pthread_self()) != 0 && number != 0 ? copy_raise(number)
                                                                       : ::pthread_kill(thread, number);
}

int copy_sigpending(sigset_t* all) {
  if (::sigpending(all) != 0) return -1;
  const sigset_t own = calling_copy().signals.waiting();
  return ::sigorset(all, all, &own);
}

/// Waits for at most `time`; lets others run if the copy can.
void wait_between_looks(copy_state& s, nanoseconds time) {
  const timespec same{0, time.count()};
  if (sleep_copy(s, time) == sleep_end::not_begun) ::nanosleep(&same, nullptr);
}

/// Waits until a handler was called.
int wait_for_handler(copy_state& s, unsigned handled) {
  constexpr auto look = std::chrono::microseconds(200);
  while (s.signals.handled() == handled) wait_between_looks(s, look);
  return failed_wait(EINTR);
}
int copy_pause() {
  copy_state& s = calling_copy();
  return s.runs_here() ? wait_for_handler(s, s.signals.handled()) : ::pause();
}
int copy_sigsuspend(const sigset_t* mask) {
  copy_state& s = calling_copy();
  if (!s.runs_here()) return ::sigsuspend(mask);
  sigset_t before;
  const unsigned handled = s.signals.handled();
  s.signals.set_mask(SIG_SETMASK, mask, &before);
  wait_for_handler(s, handled);
  s.signals.set_mask(SIG_SETMASK, &before, nullptr);
  return failed_wait(EINTR);
}

/// Takes one signal of a set, sent to the copy or to this thread. Any thread of the copy.
int copy_sigtimedwait(const sigset_t* of, siginfo_t* info, const timespec* time) {
  constexpr nanoseconds look = std::chrono::microseconds(200);
  constexpr timespec none{};
  copy_state& s = calling_copy();
  nanoseconds left =
      time == nullptr ? nanoseconds::max() : std::chrono::seconds(time->tv_sec) + nanoseconds(time->tv_nsec);
  for (;;) {
    if (const int number = s.signals.accept(*of, info)) return number;
    if (const int number = ::sigtimedwait(of, info, &none); number > 0) return number;
    if (left <= nanoseconds(0)) return failed_wait(EAGAIN);
    wait_between_looks(s, std::min(look, left));
    if (time != nullptr) left -= std::min(look, left);
  }
}
int copy_sigwaitinfo(const sigset_t* of, siginfo_t* info) { return copy_sigtimedwait(of, info, nullptr); }
int copy_sigwait(const sigset_t* of, int* number) {
  *number = copy_sigtimedwait(of, nullptr, nullptr);
  return 0;
}

int copy_setitimer(int which, const itimerval* new_value, itimerval* previous) {
  return calling_copy().timers.set(which, new_value, previous);
}
int copy_getitimer(int which, itimerval* now) { return calling_copy().timers.get(which, now); }
unsigned copy_alarm(unsigned time) {
  constexpr long half = 500'000;
  const itimerval new_value{{0, 0}, {static_cast<time_t>(time), 0}};
  itimerval left{};
  if (copy_setitimer(ITIMER_REAL, &new_value, &left) != 0) return 0;
  const auto seconds = static_cast<unsigned>(left.it_value.tv_sec + (left.it_value.tv_usec >= half ? 1 : 0));
  return seconds == 0 && left.it_value.tv_usec > 0 ? 1 : seconds;
}
useconds_t copy_ualarm(useconds_t time, useconds_t interval) {
  constexpr useconds_t second = 1'000'000;
  const auto value = [](useconds_t t) {
    return timeval{static_cast<time_t>(t / second), static_cast<suseconds_t>(t % second)};
  };
  const itimerval new_value{value(interval), value(time)};
  itimerval left{};
  if (copy_setitimer(ITIMER_REAL, &new_value, &left) != 0) return 0;
  return static_cast<useconds_t>(left.it_value.tv_sec * second + left.it_value.tv_usec);
}
int copy_timer_create(clockid_t clock, sigevent* event, timer_t* result) {
  return calling_copy().timers.make(clock, event, result);
}
int copy_timer_delete(timer_t timer) { return calling_copy().timers.remove(timer); }

}  // namespace

void add_signals(function_table& table) {
  table.insert({
      {"sigaction", address_outside<&copy_sigaction>()},
      {"signal", address_outside<&copy_signal>()},
      {"bsd_signal", address_outside<&copy_signal>()},
      {"__sysv_signal", address_outside<&copy_sysv_signal>()},
      {"sysv_signal", address_outside<&copy_sysv_signal>()},
      {"sigprocmask", address_outside<&copy_sigprocmask>()},
      {"pthread_sigmask", address_outside<&copy_pthread_sigmask>()},
      {"raise", address_outside<&copy_raise>()},
      {"kill", address_outside<&copy_kill>()},
      {"pthread_kill", address_outside<&copy_pthread_kill>()},
      {"sigpending", address_outside<&copy_sigpending>()},
      {"pause", address_outside<&copy_pause>()},
      {"sigsuspend", address_outside<&copy_sigsuspend>()},
      {"sigtimedwait", address_outside<&copy_sigtimedwait>()},
      {"sigwaitinfo", address_outside<&copy_sigwaitinfo>()},
      {"sigwait", address_outside<&copy_sigwait>()},
      {"setitimer", address_outside<&copy_setitimer>()},
      {"getitimer", address_outside<&copy_getitimer>()},
      {"alarm", address_outside<&copy_alarm>()},
      {"ualarm", address_outside<&copy_ualarm>()},
      {"timer_create", address_outside<&copy_timer_create>()},
      {"timer_delete", address_outside<&copy_timer_delete>()},
  });
}

}  // namespace imbrex::mpi
