// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/stepping.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/run/run.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/device/node_links.hpp>
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/resident/stepped.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::resident::test {
namespace {

/// Duration of a run of a ring, in simulated time.
nanoseconds time_of_ring(const settings& s, int elements, std::uint64_t hops) {
  nanoseconds took{0};
  run_whole(stepped(machine_kind::simulated), [&]() -> task<int> {
    program<ring> p(gpu(), s, {elements});
    const nanoseconds begin = now();
    p.start<&ring::token>(0, hops);
    co_await p.stream().done();
    took = now() - begin;
    EXPECT_EQ(p.end().value, 7U);
    std::uint64_t got = 0;
    for (const ring& r : p.read<ring>()) got += r.got;
    EXPECT_EQ(got, hops + 1);
    co_return 0;
  });
  return took;
}

/// Sum of the model's costs of consecutive steps.
TEST(resident_stepping, takes_what_the_model_says_of_each_step) {
  const auto cost = find_device_model("summit").resident;
  settings s;
  s.pes = 4;
  EXPECT_EQ(time_of_ring(s, 4, 700) - time_of_ring(s, 4, 200),
            500 * (cost.look + cost.take + cost.entry / 2 + cost.send + cost.flight));
  s.pes = 1;
  EXPECT_EQ(time_of_ring(s, 4, 700) - time_of_ring(s, 4, 200), 500 * (cost.take + cost.device_entry));
}

TEST(resident_stepping, sends_between_gpus_by_the_links_of_the_model) {
  const device_model model = find_device_model("summit");
  const auto cost = model.resident;
  node_links links(model, 2);
  const nanoseconds way = links.transfer(nanoseconds(0), {0, true}, {1, true}, 16);
  EXPECT_GT(way, cost.flight);
  settings s;
  s.pes = 2;
  s.gpus = 2;
  EXPECT_EQ(time_of_ring(s, 2, 700) - time_of_ring(s, 2, 200),
            500 * (cost.look + cost.take + cost.device_entry / 2 + cost.send + way));
  s.pes = 8;  // 4 PEs on each of 2 GPUs: one of four hops is between GPUs
  s.placed = placement::blocks;
  EXPECT_EQ(time_of_ring(s, 8, 799) - time_of_ring(s, 8, 399),
            400 * (cost.look + cost.take + cost.entry / 2 + cost.send) + 300 * cost.flight + 100 * way);
}

/// Work of other PEs at the same time costs a PE nothing.
TEST(resident_stepping, lets_pes_work_side_by_side) {
  const auto time_of = [](std::uint32_t pes) {
    nanoseconds took{0};
    run_whole(stepped(machine_kind::simulated), [&]() -> task<int> {
      settings s;
      s.pes = pes;
      program<wanderer> p(gpu(), s, {static_cast<int>(pes)});
      const nanoseconds begin = now();
      p.start_all<&wanderer::start>(std::uint32_t{1}, std::uint32_t{500});
      co_await p.stream().done();
      took = now() - begin;
      p.end();
      co_return 0;
    });
    return took;
  };
  EXPECT_LT(time_of(32), 3 * time_of(2));
}

struct found {
  std::uint64_t entries = 0;
  std::vector<std::byte> elements;
  bool operator==(const found&) const = default;
};

found storm_by(std::uint64_t seed, std::uint32_t gpus = 1) {
  found all;
  run_whole(stepped(machine_kind::deterministic, seed), [&]() -> task<int> {
    settings s;
    s.pes = 6;
    s.gpus = gpus;
    s.crossing = 2;
    s.mailbox = 2;
    s.parcels = 2;
    s.first_ticket = static_cast<std::uint32_t>(-50);
    program<storm> p(gpu(), s, {13});
    p.start_all<&storm::start>(std::uint32_t{20});
    co_await p.stream().done();
    all.entries = p.end().entries;
    std::uint32_t sent = 0, got = 0, wrong = 0;
    const auto elements = p.read<storm>();
    for (const storm& one : elements) {
      sent += one.sent;
      got += one.got;
      wrong += one.wrong;
    }
    EXPECT_EQ(sent, 13U * 3U * 20U);
    EXPECT_EQ(got, sent);
    EXPECT_EQ(wrong, 0U);
    all.elements.resize(elements.size() * sizeof(storm));
    std::memcpy(all.elements.data(), elements.data(), all.elements.size());
    co_return 0;
  });
  return all;
}

/// Full mailboxes, few parcels, quiescence: the order of each seed is right, and repeats.
TEST(resident_stepping, repeats_the_order_of_a_seed) {
  std::set<std::uint64_t> different;
  for (std::uint64_t seed = 0; seed < 12; ++seed) different.insert(storm_by(seed).entries);
  EXPECT_GT(different.size(), 3U) << "seeds make different orders, and so different waits";
  EXPECT_EQ(storm_by(7), storm_by(7));
}

/// Several GPUs: full crossings, quiescence by waves. The order of each seed is right, and repeats.
TEST(resident_stepping, repeats_the_order_of_a_seed_over_gpus) {
  std::set<std::uint64_t> different;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    different.insert(storm_by(seed, 2).entries);
    storm_by(seed, 3);
  }
  EXPECT_GT(different.size(), 3U);
  EXPECT_EQ(storm_by(7, 6), storm_by(7, 6));
}

TEST(resident_stepping, hears_what_chares_tell_and_print) {
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    run_whole(stepped(machine_kind::deterministic, seed), []() -> task<int> {
      settings s;
      s.pes = 3;
      s.host_slots = 2;
      program<teller> p(gpu(), s, {7});
      std::vector<std::uint32_t> next_number(7, 101);
      p.on<short_news>([&](std::uint32_t who, std::uint32_t n) { EXPECT_EQ(--next_number.at(who), n); });
      p.on<long_news>([](std::uint32_t, std::span<const std::uint32_t>) {});
      p.start_all<&teller::say>(std::uint32_t{100});
      co_await p.stream().done();
      p.end();
      for (const std::uint32_t left : next_number) EXPECT_EQ(left, 1U);
      co_return 0;
    });
}

/// The run ends in an entry after which its PE detects the end at once, while messages to it are in flight.
TEST(resident_stepping, hears_what_chares_tell_before_exit) {
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    run_whole(stepped(machine_kind::deterministic, seed), []() -> task<int> {
      settings s;
      s.pes = 2;
      program<teller> p(gpu(), s, {7});
      std::uint32_t next_number = 0;
      p.on<short_news>([&](std::uint32_t, std::uint32_t n) { EXPECT_EQ(n, next_number++); });
      p.start<&teller::crowd>(1, std::uint32_t{200});
      co_await p.stream().done();
      EXPECT_EQ(p.end().value, 100U);
      EXPECT_EQ(next_number, 100U);
      co_return 0;
    });
}

TEST(resident_stepping, refuses_to_open_a_run_and_goes_on) {
  std::string refusal;
  run_whole(stepped(machine_kind::deterministic), [&]() -> task<int> {
    settings s;
    s.pes = 2;
    program<ring> p(gpu(), s, {4});
    refusal = testing::error_of<usage_error>([&] { p.open(); });
    p.start<&ring::token>(0, std::uint64_t{3});
    co_await p.stream().done();
    EXPECT_EQ(p.end().value, 7U);
    co_return 0;
  });
  EXPECT_EQ(refusal,
            "a run inside a GPU is opened for messages of the host, but on --machine simulated or "
            "deterministic the host does nothing during the run: call open() on --machine threads");
}

TEST(resident_stepping, steps_by_numbers_reductions_and_triggers) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    run_whole(stepped(machine_kind::deterministic, seed), [seed]() -> task<int> {
      settings s;
      s.pes = 4;
      s.gpus = 1 + static_cast<std::uint32_t>(seed % 2);
      program<stepper> steps(gpu(), s, {3, 4});
      EXPECT_EQ(steps.run_all<&stepper::start>(std::uint32_t{15}).value, 12U);
      for (const stepper& one : steps.read<stepper>()) EXPECT_EQ(one.wrong, 0U);
      program<boss, worker> triggers(gpu(), s, {1}, {10});
      EXPECT_EQ(triggers.run<&boss::start>(0, std::uint32_t{20}).value, 19U);
      EXPECT_EQ(triggers.read<boss>()[0].wrong, 0U);
      co_return 0;
    });
}

TEST(resident_stepping, has_a_watchdog) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(run(stepped(machine_kind::deterministic),
                  []() -> task<int> {
                    settings s;
                    s.pes = 2;
                    s.patience = nanoseconds(300'000'000);
                    program<culprit> p(gpu(), s, {4, 2});
                    p.run<&culprit::hang>({2, 1});
                    co_return 0;
                  }),
              ::testing::ExitedWithCode(1), "PE 1 is in entry hang of culprit\\(2, 1\\)");
}

}  // namespace
}  // namespace imbrex::resident::test
