// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/interrupts.hpp>

#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>

#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

namespace {

/// Exit status that a shell reports for a program ended by SIGINT.
constexpr int status_of_interrupt = 128 + SIGINT;

/// A terminal sends SIGINT to the launcher and to this process, and the launcher forwards its signal. The end
/// of the run waits this long, so that the program receives only one interrupt.
constexpr std::int64_t repeat_interval = 500'000'000;  // ns

/// State of the signal handler; global, since handlers belong to the process.
std::atomic<int> wake_event = -1;        ///< eventfd that wakes the thread waiting_; -1: none
std::atomic<std::int64_t> first_at = 0;  ///< time of the run's first signal in ns; 0: no signal yet

void tell() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_event.load(), &one, sizeof one));
}

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec;
}

void handle(int signal) {
  const int error = errno;
  const std::int64_t time = now();
  std::int64_t first = 0;
  if (first_at.compare_exchange_strong(first, time)) {
    tell();
  } else if (time - first > repeat_interval) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // delivered after the handler returns
  }
  errno = error;
}

bool is_main_thread() { return ::gettid() == ::getpid(); }

}  // namespace

interrupts::interrupts(bool is_alone) {
  have_ended_run_ = false;
  ::sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler == SIG_IGN) return;
  struct sigaction new_action{};
  new_action.sa_handler = SIG_DFL;
  const bool is_handled = before_.sa_handler != SIG_DFL && is_alone && is_main_thread();
  if (is_handled) {
    first_at = 0;
    wake_event = ::eventfd(0, EFD_CLOEXEC);
    sigset_t all;
    sigset_t usual;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &usual);  // inherited by the new thread
    waiting_ = std::thread([this] { wait(); });
    ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
    new_action.sa_handler = &handle;
    new_action.sa_flags = SA_RESTART;
  }
  ::sigaction(SIGINT, &new_action, nullptr);
}

interrupts::~interrupts() {
  const bool is_handled = waiting_.joinable();
  if (is_handled && first_at != 0)
    std::this_thread::sleep_for(std::chrono::nanoseconds(first_at + repeat_interval - now()));
  ::sigaction(SIGINT, &before_, nullptr);
  if (!is_handled) return;
  tell();
  waiting_.join();
  ::close(wake_event.exchange(-1));
}

void interrupts::watch(detail::scheduler& pe) {
  if (!waiting_.joinable()) return;
  pe.attach(pes_.emplace_back(*this, pe), observed::thread);
}

void interrupts::raise_what_came() {
  if (first_at.exchange(0) == 0) return;
  PyErr_SetInterrupt();
  if (PyErr_CheckSignals() < 0) throw nb::python_error();
}

void interrupts::wait() {
  std::uint64_t times = 0;
  while (::read(wake_event.load(), &times, sizeof times) < 0 && errno == EINTR) {
  }
  if (first_at == 0) return;
  end_run();
  interrupt_python();
}

void interrupts::end_run() {
  const std::lock_guard hold(lock_);
  is_ending_ = true;
  for (const watched_pe& one : pes_)
    if (one.thread != 0) one.run.exit(status_of_interrupt);
  have_ended_run_ = true;
}

// Python code that a PE executes between two polls of its queue would delay the end of the run, perhaps for
// ever. A PE that executes nothing gets no exception: it would be raised at the end of its chares and cut off
// their `finally` blocks.
void interrupts::interrupt_python() {
  const nb::gil_scoped_acquire interpreter;
  const std::lock_guard hold(lock_);
  for (const watched_pe& one : pes_)
    if (one.thread != 0 && !one.is_parked && one.pe.running() != nullptr)
      PyThreadState_SetAsyncExc(one.thread, PyExc_KeyboardInterrupt);
}

void interrupts::watched_pe::thread_begins() {
  const std::lock_guard hold(of_.lock_);
  thread = PyThread_get_thread_ident();
  if (of_.is_ending_) run.exit(status_of_interrupt);
}

void interrupts::watched_pe::thread_ends() {
  const std::lock_guard hold(of_.lock_);
  thread = 0;
}

// Runs before the PE releases the interpreter's lock, and `wakes` after it has the lock again: any holder of
// the lock in between sees is_parked.
void interrupts::watched_pe::parks() {
  const std::lock_guard hold(of_.lock_);
  is_parked = true;
}

void interrupts::watched_pe::wakes() {
  const std::lock_guard hold(of_.lock_);
  is_parked = false;
}

}  // namespace imbrex::python
