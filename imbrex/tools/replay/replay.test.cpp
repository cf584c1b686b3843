// SPDX-License-Identifier: Apache-2.0
// Programs in simulated time, recorded without a network. Replaying them over a network must give the same
// time as running them over it.
#include <imbrex/tools/replay/read_dataflow.hpp>
#include <imbrex/tools/replay/replay.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/core/array/chare.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/core/array/proxy.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/core/record/tracing.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/trace/temporary_trace.test.hpp>

namespace imbrex::tools {
namespace {

using namespace std::chrono_literals;

/// The plan of a random program, known to all its chares.
struct plan {
  int cells = 4;
  int steps = 6;
  std::uint64_t seed = 1;

  std::uint64_t dice(int step, int from, int to, int what, std::uint64_t sides) const {
    random r(seed * 1'000'003 + static_cast<std::uint64_t>(((step * 64 + from) * 64 + to) * 8 + what));
    return r.below(sides);
  }
  bool sends(int step, int from, int to) const { return dice(step, from, to, 0, 3) != 0; }
  std::size_t bytes(int step, int from, int to) const { return dice(step, from, to, 1, 20'000); }
  nanoseconds work(int step, int cell, int part) const {
    return nanoseconds(1'000 + dice(step, cell, part, 2, 400'000));
  }
  bool waits(int step, int cell) const { return dice(step, cell, 0, 3, 4) == 0; }
  bool asks(int step, int cell) const { return dice(step, cell, 0, 4, 3) == 0; }
};

/// A chare that works, sends to some chares, waits for some, and calls others.
struct cell : chare<cell> {
  explicit cell(const plan& what) : what_(what) {}
  mailbox<std::vector<char>> in;

  task<std::uint64_t> run() {
    const int me = static_cast<int>(where()[0]);
    std::uint64_t got = 0;
    for (int step = 0; step < what_.steps; ++step) {
      spend(what_.work(step, me, 0));
      for (int to = 0; to < what_.cells; ++to)
        if (what_.sends(step, me, to))
          send<&cell::in>(peers()[to], step, std::vector<char>(what_.bytes(step, me, to)));
      spend(what_.work(step, me, 1));
      if (what_.waits(step, me)) co_await sleep_for(0ns);
      for (int from = 0; from < what_.cells; ++from) {
        if (!what_.sends(step, from, me)) continue;
        got += (co_await in.receive(step)).size();
        spend(what_.work(step, me, 2 + from));
      }
      if (what_.asks(step, me)) got += co_await peers()[(me + 1) % what_.cells].call<&cell::answer>(step);
      if (step % 4 == 3) got = co_await all_reduce(got, imbrex::max);
    }
    co_return got;
  }
  std::uint64_t answer(int step) {
    spend(what_.work(step, static_cast<int>(where()[0]), 60));
    return 1;
  }
  void shout() { spend(what_.work(0, static_cast<int>(where()[0]), 61)); }

 private:
  plan what_;
};

task<> play(plan what) {
  const auto cells = make_array<cell>({what.cells}, what);
  co_await cells.call<&cell::shout>();
  const trace::phase timed("steps");
  co_await cells.reduce<&cell::run>(imbrex::sum);
}

dataflow recorded(const plan& what, options how) {
  const test::temporary_trace folder;
  how.machine = machine_kind::simulated;
  how.trace = folder.file();
  how.trace_buffer.waits = true;
  EXPECT_EQ(run(how, [&] { return play(what); }), 0);
  trace::reader in(folder.file());
  return read_dataflow(in);
}

options over(int pes, const link_model& link) {
  options how;
  how.pes = pes;
  how.net_latency = link.latency;
  how.net_bandwidth = link.bandwidth;
  how.net_injection_gap = link.injection_gap;
  return how;
}

/// Two partners send each other a message per step, and do nothing else; the first step is a warm-up.
struct partner : chare<partner> {
  mailbox<int> in;

  task<> run(int steps) {
    const int other = where()[0] == 0 ? 1 : 0;
    send<&partner::in>(peers()[other], 0, 0);
    co_await in.receive(0);
    const trace::phase timed("steps");
    for (int step = 1; step <= steps; ++step) {
      send<&partner::in>(peers()[other], step, 0);
      co_await in.receive(step);
    }
  }
};

TEST(dataflow, tells_what_of_a_moment_is_in_a_phase) {
  const test::temporary_trace folder;
  auto how = over(2, {10us, 0, 0ns});
  how.machine = machine_kind::simulated;
  how.trace = folder.file();
  EXPECT_EQ(run(how,
                []() -> task<> {
                  const auto partners = make_array<partner>(2);
                  co_await partners.call<&partner::run>(3);
                }),
            0);
  trace::reader in(folder.file());
  const dataflow run = read_dataflow(in);
  ASSERT_EQ(run.phases.size(), 2U);
  const auto& phase = run.phases.front();
  std::vector<std::int64_t> inside;
  for (const auto& m : run.messages)
    if (m.received && run.pieces[m.item].pe == 0 && phase.begun_at < m.needed_at &&
        m.needed_at < phase.ended_at)
      inside.push_back(m.reference);
  EXPECT_EQ(inside, (std::vector<std::int64_t>{1, 2, 3}));
  const auto needed_then = [&](std::uint64_t moment) {
    return std::ranges::any_of(run.messages, [&](const auto& m) { return m.received && m.needed == moment; });
  };
  EXPECT_TRUE(needed_then(phase.begun) && needed_then(phase.ended)) << "else this tests nothing";
}

TEST(dataflow, refuses_a_gap_in_the_recording) {
  for (const bool goes_on : {false, true}) {
    const test::temporary_trace folder;
    options how;
    how.machine = machine_kind::simulated;
    how.trace = folder.file();
    EXPECT_EQ(run(how,
                  [goes_on]() -> task<> {
                    const auto cells = make_array<cell>({3}, plan{});
                    co_await cells.call<&cell::shout>();
                    trace::stop();
                    co_await cells.call<&cell::shout>();
                    if (goes_on) trace::start();
                    co_await cells.call<&cell::shout>();
                  }),
              0);
    trace::reader in(folder.file());
    if (goes_on) {
      EXPECT_THROW(read_dataflow(in), usage_error);
    } else {
      EXPECT_GE(read_dataflow(in).pieces.size(), 3U);
    }
  }
}

TEST(replay, ends_with_the_main_task) {
  const test::temporary_trace folder;
  auto how = over(2, {});
  how.machine = machine_kind::simulated;
  how.trace = folder.file();
  EXPECT_EQ(run(how,
                []() -> task<> {
                  const auto cells = make_array<cell>({2}, plan{});
                  co_await cells[0].call<&cell::answer>(0);
                  send<&cell::shout>(cells[1]);  // no coroutine waits for it
                  spend(1ms);
                }),
            0);
  trace::reader in(folder.file());
  const dataflow run = read_dataflow(in);
  ASSERT_NE(run.last, dataflow::none);
  const auto here = replay(run, {}).length;
  EXPECT_EQ(here, run.length);
  EXPECT_EQ(replay(run, {.latency = 100ms}).length, here);
}

TEST(replay, tells_of_a_phase_that_would_end_before_it_begins) {
  dataflow run;
  run.phase_names = {"steps"};
  run.phases = {{.begun = 10, .ended = 40}};
  run.pes = {0, 1};
  run.pieces = {{.length = 30, .begun = 10, .pe = 0, .first_event = 0, .events = 1, .is_item = true},
                {.length = 30, .begun = 5, .pe = 1, .first_event = 1, .events = 1, .is_item = true}};
  using kind = dataflow::event_kind;
  run.events = {{0, 0, kind::phase_begin}, {0, 0, kind::phase_end}};
  const replayed again = replay(run, {});
  EXPECT_EQ(again.phase_times, (std::vector<std::uint64_t>{0}));
  EXPECT_EQ(again.never, 1U);
}

TEST(replay, gives_the_times_of_the_recorded_run_without_a_network) {
  for (const int pes : {1, 2, 5}) {
    const dataflow run = recorded({7, 6, 3}, over(pes, {}));
    const replayed again = replay(run, {});
    EXPECT_EQ(again.never, 0U);
    EXPECT_EQ(again.length, run.length);
    EXPECT_EQ(again.phase_times.at(0), recorded_phase_times(run).at(0));
  }
}

TEST(replay, counts_phases_of_several_pes_once) {
  dataflow run;
  run.phase_names = {"steps", "none"};
  run.phases = {{.begun = 10, .ended = 40}, {.begun = 20, .ended = 50}, {.begun = 60, .ended = 65}};
  EXPECT_EQ(recorded_phase_times(run), (std::vector<std::uint64_t>{45, 0}));
  run.pes = {0, 1};
  run.pieces = {{.length = 30, .begun = 10, .pe = 0, .first_event = 0, .events = 2, .is_item = true},
                {.length = 30, .begun = 20, .pe = 1, .first_event = 2, .events = 2, .is_item = true}};
  run.phases.pop_back();
  using kind = dataflow::event_kind;
  run.events = {{0, 0, kind::phase_begin},
                {30, 0, kind::phase_end},
                {0, 1, kind::phase_begin},
                {30, 1, kind::phase_end}};
  EXPECT_EQ(replay(run, {}).phase_times, (std::vector<std::uint64_t>{40, 0}));
}

// Nearly all predictions are exact to the nanosecond. The others differ in some order of items. The call that
// arrives first is served first, and only the recorded order is known.
TEST(replay, predicts_random_programs_over_other_networks) {
  random dice(11);
  std::vector<double> off;
  for (int round = 0; round < 80; ++round) {
    const int pes = static_cast<int>(1 + dice.below(6));
    const plan what{static_cast<int>(static_cast<unsigned>(pes) + dice.below(9)),
                    static_cast<int>(1 + dice.below(12)), dice.below(1000)};
    const link_model link{nanoseconds(1 + dice.below(3'000'000)), 1'000'000 * (1 + dice.below(2000)),
                          nanoseconds(dice.below(50'000))};
    SCOPED_TRACE(::testing::Message()
                 << "cells " << what.cells << " steps " << what.steps << " seed " << what.seed << " pes "
                 << pes << " latency " << link.latency.count() << " bandwidth " << link.bandwidth << " gap "
                 << link.injection_gap.count());
    const replayed predicted = replay(recorded(what, over(pes, {})), link);
    const dataflow achieved = recorded(what, over(pes, link));
    EXPECT_EQ(predicted.never, 0U);
    const auto there = static_cast<double>(recorded_phase_times(achieved).at(0));
    off.push_back(std::abs(static_cast<double>(predicted.phase_times.at(0)) / there - 1));
    EXPECT_LT(off.back(), 0.03);
  }
  std::ranges::sort(off);
  EXPECT_LT(off[off.size() / 2], 1e-5);
  EXPECT_LT(off[off.size() * 3 / 4], 1e-3);
}

}  // namespace
}  // namespace imbrex::tools
