// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/interrupts.hpp>

#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>

#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

namespace {

/// As a shell sees a program that such a signal has ended.
constexpr int status_of_interrupt = 128 + SIGINT;

/// A terminal tells the launcher and this process, and the launcher tells this process again: until then the
/// run's end waits, so that the program hears of it once.
constexpr std::int64_t told_again_within = 500'000'000;  // ns

/// The handler's: handlers belong to the process.
std::atomic<int> told = -1;              ///< a descriptor by which the thread that waits is told
std::atomic<std::int64_t> first_at = 0;  ///< when the first signal of the run came; 0: none has

void tell() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(told.load(), &one, sizeof one));
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
  } else if (time - first > told_again_within) {
    ::signal(signal, SIG_DFL);
    ::raise(signal);  // which comes when this has returned
  }
  errno = error;
}

bool is_main_thread() { return ::gettid() == ::getpid(); }

}  // namespace

interrupts::interrupts(bool is_alone) {
  have_ended_run_ = false;
  ::sigaction(SIGINT, nullptr, &before_);
  if (before_.sa_handler == SIG_IGN) return;
  struct sigaction ours{};
  ours.sa_handler = SIG_DFL;
  const bool is_handled = before_.sa_handler != SIG_DFL && is_alone && is_main_thread();
  if (is_handled) {
    first_at = 0;
    told = ::eventfd(0, EFD_CLOEXEC);
    sigset_t all;
    sigset_t usual;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &usual);  // which the new thread has, too
    waiting_ = std::thread([this] { wait(); });
    ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
    ours.sa_handler = &handle;
    ours.sa_flags = SA_RESTART;
  }
  ::sigaction(SIGINT, &ours, nullptr);
}

interrupts::~interrupts() {
  const bool is_handled = waiting_.joinable();
  if (is_handled && first_at != 0)
    std::this_thread::sleep_for(std::chrono::nanoseconds(first_at + told_again_within - now()));
  ::sigaction(SIGINT, &before_, nullptr);
  if (!is_handled) return;
  tell();
  waiting_.join();
  ::close(told.exchange(-1));
}

void interrupts::watch(detail::scheduler& pe) {
  if (!waiting_.joinable()) return;
  pe.attach(pes_.emplace_back(*this, static_cast<detail::processor&>(pe)), observed::thread);
}

void interrupts::raise_what_came() {
  if (first_at.exchange(0) == 0) return;
  PyErr_SetInterrupt();
  if (PyErr_CheckSignals() < 0) throw nb::python_error();
}

void interrupts::wait() {
  std::uint64_t times = 0;
  while (::read(told.load(), &times, sizeof times) < 0 && errno == EINTR) {
  }
  if (first_at == 0) return;
  end_run();
  interrupt_python();
}

void interrupts::end_run() {
  const std::lock_guard hold(lock_);
  is_ending_ = true;
  for (const watched_pe& one : pes_)
    if (one.thread != 0) one.pe.run().exit(status_of_interrupt);
  have_ended_run_ = true;
}

// What a PE executes between two looks at its queue would hold up the end of the run, and may do so for
// ever. A PE that executes nothing would be given the exception by the end of its chares, whose `finally`
// it would cut off.
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
  if (of_.is_ending_) pe.run().exit(status_of_interrupt);
}

void interrupts::watched_pe::thread_ends() {
  const std::lock_guard hold(of_.lock_);
  thread = 0;
}

// Before the interpreter's lock is given up and after it is had again: whoever has it meanwhile sees it.
void interrupts::watched_pe::parks() {
  const std::lock_guard hold(of_.lock_);
  is_parked = true;
}

void interrupts::watched_pe::wakes() {
  const std::lock_guard hold(of_.lock_);
  is_parked = false;
}

}  // namespace imbrex::python
