// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/copy_timers.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include <imbrex/mpi/image/child_process.hpp>
#include <imbrex/mpi/image/internal/copy_state.hpp>

namespace imbrex::mpi {

namespace {

constexpr long nanoseconds_a_microsecond = 1000;

timespec time_of(const timeval& time) { return {time.tv_sec, time.tv_usec * nanoseconds_a_microsecond}; }
timeval value_of(const timespec& time) { return {time.tv_sec, time.tv_nsec / nanoseconds_a_microsecond}; }
itimerval value_of(const itimerspec& time) { return {value_of(time.it_interval), value_of(time.it_value)}; }

constexpr int signal_of[] = {SIGALRM, SIGVTALRM, SIGPROF};
constexpr clockid_t clock_of[] = {CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_PROCESS_CPUTIME_ID};

}  // namespace

/// A timer of a copy; its address is the value of its signal. Records are reused and never freed, since a
/// signal handler may read one at any time.
struct copy_timers::record {
  std::atomic<copy_state*> owner = nullptr;
  timer_t timer{};
  sigval value{};  // value that the copy has chosen
  record* next = nullptr;

  static inline std::atomic<record*> all = nullptr;

  static record& unused(copy_state& owner) {
    for (record* r = all.load(std::memory_order_acquire); r != nullptr; r = r->next) {
      copy_state* none = nullptr;
      if (r->owner.compare_exchange_strong(none, &owner)) return *r;
    }
    auto* const result = new record;
    result->owner = &owner;
    result->next = all.load(std::memory_order_relaxed);
    while (!all.compare_exchange_weak(result->next, result, std::memory_order_release)) {
    }
    return *result;
  }
};

copy_state* copy_timers::owner_of(siginfo_t& info) noexcept {
  if (info.si_code != SI_TIMER) return nullptr;
  for (record* r = record::all.load(std::memory_order_acquire); r != nullptr; r = r->next) {
    if (info.si_value.sival_ptr != r) continue;
    info.si_value = r->value;
    return r->owner;
  }
  return nullptr;
}

int copy_timers::make(clockid_t clock, const sigevent& event, timer_t* result) {
  record& own = record::unused(copy_);
  own.value = event.sigev_value;
  sigevent own_event = event;
  own_event.sigev_value.sival_ptr = &own;
  if (::timer_create(clock, &own_event, &own.timer) != 0) {
    own.owner = nullptr;
    return -1;
  }
  *result = own.timer;
  return 0;
}

int copy_timers::make(clockid_t clock, sigevent* event, timer_t* result) {
  if (event != nullptr && event->sigev_notify != SIGEV_SIGNAL) return ::timer_create(clock, event, result);
  sigevent usual{};
  usual.sigev_notify = SIGEV_SIGNAL;
  usual.sigev_signo = SIGALRM;
  return make(clock, event != nullptr ? *event : usual, result);
}

int copy_timers::remove(timer_t timer) {
  for (record* r = record::all.load(std::memory_order_acquire); r != nullptr; r = r->next)
    if (r->owner == &copy_ && r->timer == timer) {
      const int result = ::timer_delete(timer);
      r->owner = nullptr;
      return result;
    }
  return ::timer_delete(timer);
}

bool copy_timers::any() const noexcept {
  for (const record* r = record::all.load(std::memory_order_acquire); r != nullptr; r = r->next)
    if (r->owner == &copy_) return true;
  return false;
}

void copy_timers::remove_all() noexcept {
  for (record* r = record::all.load(std::memory_order_acquire); r != nullptr; r = r->next)
    if (r->owner == &copy_) {
      ::timer_delete(r->timer);
      r->owner = nullptr;
    }
  intervals_ = {};
}

std::optional<timer_t> copy_timers::timer_of(int which) {
  if (which < 0 || which >= static_cast<int>(intervals_.size())) {
    errno = EINVAL;
    return std::nullopt;
  }
  auto& timer = intervals_[static_cast<std::size_t>(which)];
  if (!timer) {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = signal_of[which];
    timer_t result{};
    if (make(clock_of[which], event, &result) == 0) timer = result;
  }
  return timer;
}

int copy_timers::set(int which, const itimerval* new_value, itimerval* previous) {
  if (is_child()) return ::setitimer(static_cast<__itimer_which_t>(which), new_value, previous);
  const std::lock_guard hold(mutex_);
  const auto timer = timer_of(which);
  if (!timer) return -1;
  const itimerspec time = new_value == nullptr
                              ? itimerspec{}
                              : itimerspec{time_of(new_value->it_interval), time_of(new_value->it_value)};
  itimerspec before{};
  if (::timer_settime(*timer, 0, &time, &before) != 0) return -1;
  if (previous != nullptr) *previous = value_of(before);
  return 0;
}

int copy_timers::get(int which, itimerval* now) {
  if (is_child()) return ::getitimer(static_cast<__itimer_which_t>(which), now);
  const std::lock_guard hold(mutex_);
  const auto timer = timer_of(which);
  itimerspec time{};
  if (!timer || ::timer_gettime(*timer, &time) != 0) return -1;
  *now = value_of(time);
  return 0;
}

}  // namespace imbrex::mpi
