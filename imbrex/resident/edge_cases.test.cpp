// SPDX-License-Identifier: Apache-2.0
// Odd programs inside GPUs: one chare; many more chares than PEs; uneven shapes; two programs at once in one
// heap; all kinds of messages at once.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/device_work.hpp>
#include <imbrex/resident/cells.test.hpp>
#include <imbrex/resident/devices.test.hpp>
#include <imbrex/resident/host_cells.test.hpp>
#include <imbrex/resident/program.hpp>
#include <imbrex/resident/stepped.test.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::resident::test {
namespace {

struct edge_case {
  index<3> shape;
  std::uint32_t pes = 1, gpus = 1;
  placement placed = placement::round_robin;
  std::uint32_t rounds = 3;
};
const std::vector<edge_case> edge_cases{
    {{1, 1, 1}},
    {{1, 1, 1}, 5},
    {{7, 1, 5}, 4, 1, placement::blocks},  // shares of 9 and of 8
    {{5, 1, 1}, 4, 1, placement::blocks},  // the last PE has no element
    {{2, 3, 1}, 4, 2, placement::blocks},
    {{1, 2, 64}, 2, 1, placement::round_robin, 1},  // 64 elements per PE
    {{4, 4, 8}, 2, 2, placement::blocks, 1},        // 64 elements per PE
    {{1, 1, 2}, 6, 3, placement::blocks},           // two GPUs have no element
    {{3, 3, 3}, 5, 5},
};

settings small(const edge_case& o) {
  settings s;
  s.pes = o.pes;
  s.gpus = o.gpus;
  s.placed = o.placed;
  s.mailbox = s.crossing = 2;
  s.parcels = 2;
  s.first_ticket = static_cast<std::uint32_t>(-50);
  return s;
}

std::string name_of(const edge_case& o) {
  return std::to_string(o.shape[0]) + " x " + std::to_string(o.shape[1]) + " x " +
         std::to_string(o.shape[2]) + " on " + std::to_string(o.pes) + " PEs of " + std::to_string(o.gpus) +
         " GPUs";
}

void expect_all(program<circus>& p, const edge_case& o) {
  std::uint32_t sent = 0, got = 0, fired = 0, numbered = 0;
  const auto all = p.read<circus>();
  for (const circus& one : all) {
    EXPECT_EQ(one.wrong, 0U) << name_of(o);
    EXPECT_EQ(one.round, o.rounds);
    sent += one.sent;
    got += one.got;
    fired += one.fired;
    numbered += one.numbered;
  }
  const auto each = static_cast<std::uint32_t>(all.size()) * o.rounds;
  EXPECT_EQ(sent, each * circus::bumps) << name_of(o);
  EXPECT_EQ(got, sent) << name_of(o);
  EXPECT_EQ(fired, each);
  EXPECT_EQ(numbered, each);
}

TEST(resident_oddities, come_to_their_ends_on_threads) {
  const auto devices = devices_here("emulated");
  for (const edge_case& o : edge_cases) {
    settings s = small(o);
    s.threads = 1 + o.pes % 2;
    program<circus> p(*devices.front(), s, o.shape);
    for (int n = 0; n < 2; ++n) {
      p.write(std::vector<circus>(p.count<circus>()));
      EXPECT_FALSE(p.run_all<&circus::begin>(o.rounds).value) << name_of(o);
      expect_all(p, o);
    }
  }
}

TEST(resident_oddities, come_to_their_ends_by_seeds_and_in_simulated_time) {
  for (const edge_case& o : edge_cases)
    for (std::uint64_t seed = 0; seed < 6; ++seed)
      run_whole(stepped(seed == 5 ? machine_kind::simulated : machine_kind::deterministic,
                        seed == 5 ? std::nullopt : std::optional(seed)),
                [&o]() -> task<int> {
                  program<circus> p(gpu(), small(o), o.shape);
                  p.start_all<&circus::begin>(o.rounds);
                  co_await p.stream().done();
                  EXPECT_FALSE(p.end().value);
                  expect_all(p, o);
                  co_return 0;
                });
}

TEST(resident_oddities, of_two_in_one_heap_each_has_its_own) {
  const auto devices = devices_here("emulated");
  for (const std::uint32_t gpus : {1U, 2U}) {
    const symmetric_heap heap(*devices.front(), gpus, std::size_t{1} << 24U);
    const edge_case o{{3, 1, 5}, 2 * gpus, gpus};
    program<circus> one(heap, small(o), o.shape), other(heap, small(o), o.shape);
    one.start_all<&circus::begin>(o.rounds);
    other.start_all<&circus::begin>(o.rounds);
    other.stream().synchronize();
    EXPECT_FALSE(other.end().value);
    one.stream().synchronize();
    EXPECT_FALSE(one.end().value);
    expect_all(one, o);
    expect_all(other, o);
  }
}

/// Several PEs end the run, or fail, at once. One of them takes effect, on all GPUs the same.
TEST(resident_oddities, end_once_though_many_end_them) {
  const auto devices = devices_here("emulated");
  for (const std::uint32_t gpus : {1U, 2U, 3U})
    for (int n = 0; n < 10; ++n) {
      settings s;
      s.pes = 2 * gpus;
      s.gpus = gpus;
      program<culprit> p(*devices.front(), s, {4, 2});
      const std::string error_text =
          testing::error_of<error>([&] { p.run_all<&culprit::fail>(std::uint64_t{17}); });
      EXPECT_NE(error_text.find("failed with number 17"), std::string::npos) << error_text;
    }
}

TEST(resident_oddities, are_refused_by_name) {
  const auto devices = devices_here("emulated");
  program<circus> p(*devices.front(), small(edge_cases[2]), {7, 1, 5});
  const auto refusal = [&p](const index<3>& to) -> std::string {
    return testing::error_of<usage_error>([&] { p.start<&circus::bump>(to, std::uint64_t{1}); });
  };
  for (const char* where : {"(7, 0, 0)", "(0, 1, 0)", "(-1, 0, 4)"}) {
    const index<3> to = where[1] == '7'   ? index<3>(7, 0, 0)
                        : where[1] == '0' ? index<3>(0, 1, 0)
                                          : index<3>(-1, 0, 4);
    EXPECT_EQ(refusal(to), "a run inside a GPU cannot begin with circus" + std::string(where) +
                               ", which there is not: the array has the extents (7, 1, 5)");
  }
}

}  // namespace
}  // namespace imbrex::resident::test
