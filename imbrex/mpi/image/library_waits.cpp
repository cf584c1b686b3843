// SPDX-License-Identifier: Apache-2.0
// A copy may wait without MPI for another copy of its thread; therefore others run meanwhile.
#include <poll.h>
#include <sched.h>
#include <sys/select.h>
#include <threads.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <optional>

#include <imbrex/mpi/image/internal/copy_sleep.hpp>
#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr long nanoseconds_a_second = 1'000'000'000;
constexpr long microseconds_a_second = 1'000'000;

bool is_time(const timespec& time) {
  return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < nanoseconds_a_second;
}
/// Longer times become the longest representable one.
nanoseconds time_of(const timespec& time) {
  constexpr long most = nanoseconds::max().count() / nanoseconds_a_second - 1;
  return seconds(std::min<long>(time.tv_sec, most)) + nanoseconds(time.tv_nsec);
}

timespec timespec_of(nanoseconds time) {
  return {time.count() / nanoseconds_a_second, time.count() % nanoseconds_a_second};
}

int copy_sched_yield() {
  return sleep_copy(calling_copy(), nanoseconds(0)) == sleep_end::not_begun ? ::sched_yield() : 0;
}
void copy_thrd_yield() { copy_sched_yield(); }

int copy_usleep(useconds_t time) {
  switch (sleep_copy(calling_copy(), microseconds(time))) {
    case sleep_end::passed: return 0;
    case sleep_end::interrupted: return failed_wait(EINTR);
    default: return ::usleep(time);
  }
}
unsigned copy_sleep(unsigned time) {
  nanoseconds left(0);
  if (sleep_copy(calling_copy(), seconds(time), &left) == sleep_end::not_begun) return ::sleep(time);
  return static_cast<unsigned>(std::chrono::ceil<seconds>(left).count());
}

/// Like nanosleep, for a valid time; nullopt if the copy cannot wait. Returns EINTR or 0.
std::optional<int> sleep_for(nanoseconds time, timespec* left) {
  nanoseconds rest(0);
  const sleep_end end = sleep_copy(calling_copy(), time, &rest);
  if (end == sleep_end::not_begun) return std::nullopt;
  if (end == sleep_end::passed) return 0;
  if (left != nullptr) *left = timespec_of(rest);
  return EINTR;
}
int copy_nanosleep(const timespec* time, timespec* left) {
  const auto error = is_time(*time) ? sleep_for(time_of(*time), left) : std::nullopt;
  if (!error) return ::nanosleep(time, left);
  return *error == 0 ? 0 : failed_wait(*error);
}
int copy_thrd_sleep(const timespec* time, timespec* left) {
  const auto error = is_time(*time) ? sleep_for(time_of(*time), left) : std::nullopt;
  if (!error) return ::thrd_sleep(time, left);
  return *error == 0 ? 0 : -1;
}
int copy_clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  timespec now{};
  if (!is_time(*time) || ::clock_gettime(clock, &now) != 0)
    return ::clock_nanosleep(clock, flags, time, left);
  const bool is_moment = flags == TIMER_ABSTIME;
  const nanoseconds sleep = time_of(*time) - (is_moment ? time_of(now) : nanoseconds(0));
  const auto error = sleep_for(std::max(sleep, nanoseconds(0)), is_moment ? nullptr : left);
  return error ? *error : ::clock_nanosleep(clock, flags, time, left);
}

/// Polls with growing sleeps until `time` has passed; nullopt: for ever. `look` returns 0 if there is
/// nothing. Returns like poll; nullopt if the copy cannot wait.
template <class Look>
std::optional<int> look_for(std::optional<nanoseconds> time, Look look) {
  constexpr nanoseconds first = microseconds(20);
  constexpr nanoseconds most = milliseconds(1);
  copy_state& s = calling_copy();
  if (sleep_copy(s, nanoseconds(0)) == sleep_end::not_begun) return std::nullopt;
  nanoseconds left = time.value_or(nanoseconds::max());
  for (nanoseconds wait = first;; wait = std::min(2 * wait, most)) {
    const int found = look();
    if (found != 0 || left <= nanoseconds(0)) return found;
    if (sleep_copy(s, std::min(wait, left)) == sleep_end::interrupted) return failed_wait(EINTR);
    if (time) left -= std::min(wait, left);
  }
}

int copy_poll(pollfd* files, nfds_t number, int time) {
  const auto limit = time < 0 ? std::nullopt : std::optional<nanoseconds>(milliseconds(time));
  const auto found = look_for(limit, [=] { return ::poll(files, number, 0); });
  return found ? *found : ::poll(files, number, time);
}
int copy_ppoll(pollfd* files, nfds_t number, const timespec* time, const sigset_t* mask) {
  if (time != nullptr && !is_time(*time)) return ::ppoll(files, number, time, mask);
  const auto limit = time == nullptr ? std::nullopt : std::optional(time_of(*time));
  const auto found = look_for(limit, [=] {
    constexpr timespec none{};
    return ::ppoll(files, number, &none, mask);
  });
  return found ? *found : ::ppoll(files, number, time, mask);
}

/// Sets of a select, which clears them if it finds nothing.
class file_sets {
 public:
  file_sets(fd_set* read, fd_set* write, fd_set* failed) : sets_{read, write, failed} {
    for (int i = 0; i < number; ++i)
      if (sets_[i] != nullptr) initial_sets_[i] = *sets_[i];
  }
  template <class Select>
  int look(Select select) {
    for (int i = 0; i < number; ++i)
      if (sets_[i] != nullptr) *sets_[i] = initial_sets_[i];
    return select(sets_[0], sets_[1], sets_[2]);
  }

 private:
  static constexpr int number = 3;
  fd_set* sets_[number];
  fd_set initial_sets_[number];
};

int copy_select(int number, fd_set* read, fd_set* write, fd_set* failed, timeval* time) {
  if (time != nullptr && (time->tv_sec < 0 || time->tv_usec < 0))
    return ::select(number, read, write, failed, time);
  file_sets sets(read, write, failed);
  const auto limit = time == nullptr
                         ? std::nullopt
                         : std::optional(time_of({time->tv_sec + time->tv_usec / microseconds_a_second,
                                                  time->tv_usec % microseconds_a_second * 1000}));
  const auto found = look_for(limit, [&] {
    return sets.look([number](fd_set* r, fd_set* w, fd_set* f) {
      timeval none{};
      return ::select(number, r, w, f, &none);
    });
  });
  return found ? *found : ::select(number, read, write, failed, time);
}
int copy_pselect(int number, fd_set* read, fd_set* write, fd_set* failed, const timespec* time,
                 const sigset_t* mask) {
  if (time != nullptr && !is_time(*time)) return ::pselect(number, read, write, failed, time, mask);
  file_sets sets(read, write, failed);
  const auto found = look_for(time == nullptr ? std::nullopt : std::optional(time_of(*time)), [&] {
    return sets.look([number, mask](fd_set* r, fd_set* w, fd_set* f) {
      constexpr timespec none{};
      return ::pselect(number, r, w, f, &none, mask);
    });
  });
  return found ? *found : ::pselect(number, read, write, failed, time, mask);
}

}  // namespace

void add_waits(function_table& table) {
  table.insert({
      {"sched_yield", address_outside<&copy_sched_yield>()},
      {"pthread_yield", address_outside<&copy_sched_yield>()},
      {"thrd_yield", address_outside<&copy_thrd_yield>()},
      {"usleep", address_outside<&copy_usleep>()},
      {"sleep", address_outside<&copy_sleep>()},
      {"nanosleep", address_outside<&copy_nanosleep>()},
      {"clock_nanosleep", address_outside<&copy_clock_nanosleep>()},
      {"thrd_sleep", address_outside<&copy_thrd_sleep>()},
      {"poll", address_outside<&copy_poll>()},
      {"__poll_chk", address_outside<&copy_poll>()},
      {"ppoll", address_outside<&copy_ppoll>()},
      {"select", address_outside<&copy_select>()},
      {"pselect", address_outside<&copy_pselect>()},
  });
}

}  // namespace imbrex::mpi
