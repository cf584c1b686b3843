// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/report_signal.hpp>

#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>

#include <imbrex/base/host/signal_text.hpp>

namespace imbrex {

namespace {

constexpr std::int64_t patience_ns = 2'000'000'000;

std::array<std::atomic<report_signal::receiver*>, 64> receivers{};
std::atomic<int> tellers = 0;  ///< handlers that may call a receiver now
std::atomic<pid_t> handler_process = 0;
std::atomic<std::int64_t> last_quit = 0;  ///< time of the last SIGQUIT; 0: none

std::int64_t time_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// Sets the default action of SIGQUIT, which follows as soon as the handler returns.
void end_by_quit() {
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGQUIT, &usual, nullptr);
  ::syscall(SYS_tgkill, ::getpid(), ::syscall(SYS_gettid), SIGQUIT);
}

bool tell_all(report_signal::asker by) {
  bool is_any = false;
  tellers.fetch_add(1);
  for (const auto& place : receivers)
    if (auto* const who = place.load()) {
      who->request_report(by);
      is_any = true;
    }
  tellers.fetch_sub(1);
  return is_any;
}

void take_signal(int signal) {
  const int error_before = errno;
  if (signal == SIGURG) {
    tell_all(report_signal::asker::command);
  } else if (const std::int64_t now = time_now(), before = last_quit.exchange(now);
             (before != 0 && now - before < patience_ns) || ::getpid() != handler_process) {
    end_by_quit();
  } else if (!tell_all(report_signal::asker::user)) {
    signal_text()
        .add("imbrex: no run goes on in process ")
        .add_number(::getpid())
        .add(", so there is nothing to report; another SIGQUIT within 2 s ends it\n")
        .write_to(STDERR_FILENO);
  }
  errno = error_before;
}

void take_signals() {
  handler_process = ::getpid();
  for (const int signal : {SIGQUIT, SIGURG}) {
    struct sigaction there{};
    if (::sigaction(signal, nullptr, &there) != 0) continue;
    if ((there.sa_flags & SA_SIGINFO) != 0 || there.sa_handler != SIG_DFL) continue;
    struct sigaction own_setup{};
    own_setup.sa_handler = &take_signal;
    own_setup.sa_flags = SA_RESTART | SA_ONSTACK;
    ::sigemptyset(&own_setup.sa_mask);
    ::sigaction(signal, &own_setup, nullptr);
  }
}

}  // namespace

report_signal::report_signal(receiver& who) noexcept {
  static std::mutex lock;
  {
    const std::lock_guard hold(lock);  // two runs that begin at once take the signals one after the other
    take_signals();
  }
  for (std::size_t i = 0; i < receivers.size() && place_ < 0; ++i)
    if (receiver* none = nullptr; receivers[i].compare_exchange_strong(none, &who))
      place_ = static_cast<int>(i);
}

report_signal::~report_signal() {
  if (place_ < 0) return;
  receivers[static_cast<std::size_t>(place_)].store(nullptr);
  // Both are sequentially consistent: a handler that has loaded the receiver is counted.
  while (tellers.load() != 0) std::this_thread::yield();
}

}  // namespace imbrex
