// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/idle_spin.hpp>

#include <algorithm>
#include <thread>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/background_thread.hpp>
#include <imbrex/base/inbox.hpp>

namespace imbrex::detail {

namespace {

/// Number of rounds. In the first, neither thread may be asleep yet.
constexpr int rounds = 6;
/// Time limit: on busy processors a wake may take milliseconds, and its time means little.
constexpr nanoseconds patience = std::chrono::microseconds(500);

/// An item that passes between two inboxes, and belongs to the thread that has taken it.
struct ball : work {
  nanoseconds thrown{0};
  bool is_last = false;
};

/// Sleeps until the ball arrives; returns its travel time.
nanoseconds await(inbox& pe_inbox, const clock& time) {
  work* came = nullptr;
  while ((came = pe_inbox.take()) == nullptr)
    if (pe_inbox.park()) pe_inbox.sleep(std::nullopt);
  return time.now() - static_cast<ball*>(came)->thrown;
}

void throw_to(inbox& pe_inbox, ball& thrown, const clock& time) {
  thrown.thrown = time.now();
  pe_inbox.post(thrown);
}

}  // namespace

std::optional<nanoseconds> measure_wake() try {
  const real_clock time;
  inbox here;
  inbox there;
  ball b;
  std::vector<nanoseconds> wakes(2 * rounds);  // the two threads' wakes alternate
  std::thread other = background_thread("that measures a wake", [&] {
    for (std::size_t round = 0;; ++round) {
      wakes[2 * round] = await(there, time);
      const bool was_last = b.is_last;
      throw_to(here, b, time);
      if (was_last) return;
    }
  });
  const auto until = time.now() + patience;
  std::size_t round = 0;
  for (; !b.is_last; ++round) {
    b.is_last = round + 1 == rounds || (round > 0 && time.now() > until);
    throw_to(there, b, time);
    wakes[2 * round + 1] = await(here, time);
  }
  other.join();
  const auto first = wakes.begin() + 2;
  const auto last = wakes.begin() + static_cast<std::ptrdiff_t>(2 * round);
  const auto usual = first + (last - first) / 4;  // longer ones may have been disturbed
  std::nth_element(first, usual, last);
  return *usual;
} catch (const error&) {  // code that needs threads and inboxes reports what is missing
  return std::nullopt;
}

}  // namespace imbrex::detail
