// SPDX-License-Identifier: Apache-2.0
// Joint operations of the PEs of all GPUs, of which each GPU has one.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/core/run/spend.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/device/node_links.hpp>
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/devices.test.hpp>
#include <imbrex/resident/host_cells.test.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/resident/stepped.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::resident::test {
namespace {

constexpr std::size_t heap_bytes = std::size_t{1} << 22U;

/// A fleet in a heap.
class fleet_in_heap {
 public:
  fleet_in_heap(device& on, std::uint32_t gpus, std::uint32_t threads = 1)
      : heap_(on, gpus, heap_bytes),
        words_(heap_.make<std::uint32_t>(gpus)),
        flags_(heap_.make<std::uint32_t>(1)),
        values_(heap_.make<double>(13)),
        fleet_program_(heap_, chosen(gpus, threads), {static_cast<int>(gpus)}) {}
  program<fleet>& prepared() {
    std::vector<fleet> all(heap_.gpus());
    for (fleet& one : all) {
      one.words = words_.what();
      one.flags = flags_.what();
      one.values = values_.what();
    }
    fleet_program_.write(all);
    for (std::uint32_t g = 0; g < heap_.gpus(); ++g) {
      flags_.write(g, std::vector<std::uint32_t>(1));
      values_.write(g, std::vector<double>(13));
    }
    return fleet_program_;
  }
  void expect(std::uint32_t rounds) {
    for (const fleet& one : fleet_program_.read<fleet>()) {
      EXPECT_EQ(one.rounds, rounds);
      EXPECT_EQ(one.wrong, 0U);
    }
  }

 private:
  static settings chosen(std::uint32_t gpus, std::uint32_t threads) {
    settings s;
    s.pes = s.gpus = gpus;
    s.threads = threads;
    return s;
  }
  symmetric_heap heap_;
  symmetric_buffer<std::uint32_t> words_, flags_;
  symmetric_buffer<double> values_;
  program<fleet> fleet_program_;
};

class resident_together : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  std::vector<std::unique_ptr<device>> devices_ = devices_here("emulated");
  device& gpu() { return *devices_.front(); }
};
INSTANTIATE_TEST_SUITE_P(gpus, resident_together, ::testing::Values(1U, 2U, 3U, 5U));

TEST_P(resident_together, waits_reduces_and_broadcasts) {
  fleet_in_heap all(gpu(), GetParam(), GetParam() == 2 ? 3 : 1);
  for (int n = 0; n < 2; ++n) {
    EXPECT_FALSE(all.prepared().run_all<&fleet::together>(std::uint32_t{12}).value);
    all.expect(12);
  }
}

TEST_P(resident_together, waits_for_flags) {
  fleet_in_heap all(gpu(), GetParam());
  EXPECT_FALSE(all.prepared().run_all<&fleet::round>(std::uint32_t{20}).value);
  all.expect(1);
}

TEST_P(resident_together, is_left_when_the_run_ends) {
  fleet_in_heap all(gpu(), GetParam());
  EXPECT_EQ(all.prepared().run_all<&fleet::stray>(std::uint32_t{0}).value, 5U);
  for (const fleet& one : all.prepared().read<fleet>()) EXPECT_EQ(one.wrong, 0U);
  const std::string error_text =
      testing::error_of<error>([&] { all.prepared().run_all<&fleet::stray>(std::uint32_t{1}); });
  const std::string last = std::to_string(GetParam() - 1);
  EXPECT_EQ(error_text, "entry stray of fleet(" + last + ") on PE " + last + " failed with number 6");
}

TEST(resident_together_by_error, is_of_one_pe_of_each_gpu) {
  const auto devices = devices_here("emulated");
  settings s;
  s.pes = 4;
  s.gpus = 2;
  program<lockstep> all(*devices.front(), s, {4});
  const std::string error_text =
      testing::error_of<error>([&] { all.run<&lockstep::barriers>(3, std::uint32_t{1}); });
  EXPECT_EQ(
      error_text,
      "entry barriers of lockstep(3) on PE 3 takes part in a collective of all GPUs for its GPU, but is "
      "one of 2 PEs there: have one on each, by `using pe = imbrex::resident::whole_gpu` or settings::pes");
}

TEST(resident_together_by_error, ends_by_the_watchdog_if_one_does_not_come) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto devices = devices_here("emulated");
        settings s;
        s.pes = s.gpus = 2;
        s.patience = nanoseconds(300'000'000);
        program<fleet> all(*devices.front(), s, {2});
        all.run_all<&fleet::stray>(std::uint32_t{2});
      },
      ::testing::ExitedWithCode(1), "PE 0 is in entry stray of all of fleet");
}

TEST(resident_together_by_steps, repeats_by_seeds) {
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    run_whole(stepped(machine_kind::deterministic, seed), [seed]() -> task<int> {
      fleet_in_heap all(gpu(), 1 + static_cast<std::uint32_t>(seed % 4));
      program<fleet>& fleet_program = all.prepared();
      fleet_program.start_all<&fleet::together>(std::uint32_t{9});
      co_await fleet_program.stream().done();
      fleet_program.end();
      all.expect(9);
      co_return 0;
    });
}

/// Runs a test of one device with twelve seeds, and in simulated time.
template <class Body>
void by_steps(Body body) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto gpus = 1 + static_cast<std::uint32_t>(seed % 4);
    for (const auto kind : {machine_kind::deterministic, machine_kind::simulated})
      run_whole(stepped(kind, seed), [&]() -> task<int> {
        co_await body(gpus);
        co_return 0;
      });
  }
}

TEST(resident_together_by_steps, waits_for_flags) {
  by_steps([](std::uint32_t gpus) -> task<> {
    fleet_in_heap all(gpu(), gpus);
    program<fleet>& fleet_program = all.prepared();
    fleet_program.start_all<&fleet::round>(std::uint32_t{20});
    co_await fleet_program.stream().done();
    fleet_program.end();
    all.expect(1);
  });
}

TEST(resident_together_by_steps, is_left_when_the_run_ends) {
  by_steps([](std::uint32_t gpus) -> task<> {
    fleet_in_heap all(gpu(), gpus);
    program<fleet>& fleet_program = all.prepared();
    fleet_program.start_all<&fleet::stray>(std::uint32_t{0});
    co_await fleet_program.stream().done();
    EXPECT_EQ(fleet_program.end().value, 5U);
  });
}

TEST(resident_together_by_steps, ends_after_a_flag_of_its_own) {
  by_steps([](std::uint32_t gpus) -> task<> {
    symmetric_heap heap(gpu(), gpus, heap_bytes);
    const auto flags = heap.make<std::uint32_t>(1);
    settings s;
    s.pes = 4 * gpus;
    s.gpus = gpus;
    program<beacon> p(heap, s, {4});
    std::vector<beacon> all(4);
    for (beacon& one : all) one.flags = flags.what();
    for (int n = 0; n < 8; ++n) {
      p.write(all);
      p.start<&beacon::light>(n % 4, std::uint32_t{1});
      co_await p.stream().done();
      EXPECT_EQ(p.end().value, 7U);
    }
  });
}

/// Numbers of flags wrap, and waiting takes as long.
TEST(resident_together_by_steps, waits_for_flags_that_wrap) {
  std::vector<nanoseconds> took;
  for (const std::uint32_t first : {1U, 0xfffffff8U, 0x7ffffff8U})
    run_whole(stepped(machine_kind::simulated), [&]() -> task<int> {
      symmetric_heap heap(gpu(), 3, heap_bytes);
      const auto flags = heap.make<std::uint32_t>(1);
      settings s;
      s.pes = s.gpus = 3;
      program<lockstep> p(heap, s, {3});
      std::vector<lockstep> all(3);
      for (lockstep& one : all) one.flags = flags.what();
      p.write(all);
      for (std::uint32_t g = 0; g < 3; ++g) flags.write(g, std::vector<std::uint32_t>{first - 1});
      const nanoseconds begin = now();
      p.start_all<&lockstep::chase>(first);
      co_await p.stream().done();
      took.push_back(now() - begin);
      p.end();
      co_return 0;
    });
  const device_model model = find_device_model("summit");
  node_links links(model, 3);
  const nanoseconds way = links.transfer(nanoseconds(0), {0, true}, {1, true}, 16);
  EXPECT_GT(took[0], 60 * way);
  EXPECT_EQ(took[1], took[0]);
  EXPECT_EQ(took[2], took[0]);
}

/// A barrier takes a message to the other GPU, its transfer, and a poll. Before and after it the GPU's blocks
/// wait for each other.
TEST(resident_together_by_steps, takes_what_the_model_says) {
  const device_model model = find_device_model("summit");
  const auto cost = model.resident;
  node_links links(model, 2);
  const nanoseconds way = links.transfer(nanoseconds(0), {0, true}, {1, true}, 16);
  nanoseconds took[2];
  run_whole(stepped(machine_kind::simulated), [&]() -> task<int> {
    settings s;
    s.pes = s.gpus = 2;
    program<lockstep> p(gpu(), s, {2});
    for (std::uint32_t n = 0; n < 2; ++n) {
      const nanoseconds begin = now();
      p.start_all<&lockstep::barriers>(100 * (n + 1));
      co_await p.stream().done();
      took[n] = now() - begin;
      p.end();
    }
    co_return 0;
  });
  EXPECT_EQ(took[1] - took[0], 100 * (2 * cost.device_sync + cost.send + way + cost.look));
}

}  // namespace
}  // namespace imbrex::resident::test
