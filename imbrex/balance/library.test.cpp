// SPDX-License-Identifier: Apache-2.0
// The library's strategies on random problems, and on those that are odd.
#include <imbrex/balance/strategy.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <imbrex/balance/quality.hpp>
#include <imbrex/balance/snapshot.hpp>
#include <imbrex/base/random.hpp>

namespace imbrex::balance {
namespace {

double fraction(random& dice) { return static_cast<double>(dice.below(1'000'001)) / 1e6; }

/// PEs with nodes, speeds and devices, or without.
void add_machine(snapshot& s, random& dice) {
  s.pes = 1 + static_cast<int>(dice.below(dice.below(4) == 0 ? 300 : 20));
  const int node_pes = 1 + static_cast<int>(dice.below(7)), device_pes = 1 + static_cast<int>(dice.below(3));
  const bool nodes = dice.below(2) == 0, speeds = dice.below(3) == 0, devices = dice.below(3) == 0;
  for (int pe = 0; pe < s.pes; ++pe) {
    if (nodes) s.node.push_back(pe / node_pes);
    if (speeds) s.speed.push_back(0.5 + fraction(dice));
    // A device's PEs follow each other on one node; some PEs have none.
    const int first = nodes ? pe / node_pes * node_pes : 0;
    if (devices) s.device.push_back(pe % 5 == 4 ? -1 : first + (pe - first) / device_pes);
  }
  if (devices && dice.below(2) == 0)
    for (int d = 0; d < s.view().on.devices(); ++d) s.free_memory.push_back(dice.below(300));
}

void add_objects(snapshot& s, random& dice) {
  const std::size_t objects = dice.below(dice.below(4) == 0 ? 2000 : 60);
  const auto kind = dice.below(5);
  const bool fixed = dice.below(3) == 0, device_bytes = !s.device.empty();
  s.dimensions = static_cast<int>(dice.below(4));
  const auto pes = static_cast<std::uint64_t>(s.pes), used = 1 + dice.below(pes);
  for (std::size_t i = 0; i < objects; ++i) {
    s.pe.push_back(static_cast<int>(dice.below(used)));
    const double huge = i == 0 ? 1000 : 1;
    s.load.push_back(kind == 0 ? 0 : kind == 1 ? 1 : kind == 2 ? huge : fraction(dice));
    if (fixed) s.movable.push_back(dice.below(4) == 0 ? 0 : 1);
    s.bytes.push_back(dice.below(100));
    if (device_bytes) s.device_load.push_back(dice.below(2) == 0 ? 0 : fraction(dice));
    if (device_bytes) s.device_bytes.push_back(s.device_load.back() > 0 ? dice.below(100) : 0);
    for (int d = 0; d < s.dimensions; ++d) s.coordinates.push_back(static_cast<float>(dice.below(20)));
  }
  if (dice.below(2) == 0) return;
  for (std::size_t i = 0; i < objects; ++i) {
    s.first_edge.push_back(static_cast<std::uint32_t>(s.edge_to.size()));
    for (std::uint64_t e = dice.below(5); e > 0; --e)
      s.edge_to.push_back(static_cast<std::uint32_t>(dice.below(objects)));
  }
  s.first_edge.push_back(static_cast<std::uint32_t>(s.edge_to.size()));
}

snapshot random_problem(std::uint64_t seed) {
  random dice(seed);
  snapshot s;
  s.seed = seed;
  add_machine(s, dice);
  add_objects(s, dice);
  return s;
}

/// A fault of a solution, whatever the strategy: empty if nothing is.
std::string complaint(const snapshot& s, const std::vector<int>& solution) {
  if (solution.size() != s.pe.size()) return "not as many PEs as objects";
  const machine on = s.view().on;
  std::vector<std::uint64_t> arrived(static_cast<std::size_t>(on.devices()));
  for (std::size_t i = 0; i < solution.size(); ++i) {
    const std::string name = "object " + std::to_string(i);
    if (solution[i] < 0 || solution[i] >= s.pes) return name + " has no PE";
    if (!s.view().is_movable(i) && solution[i] != s.pe[i]) return name + " moved, though it may not";
    const int from = on.device_of(s.pe[i]), to = on.device_of(solution[i]);
    if (from == to || s.view().device_bytes_of(i) == 0) continue;
    if (to < 0) return name + " left all devices";
    arrived[static_cast<std::size_t>(to)] += s.device_bytes[i];
  }
  for (std::size_t d = 0; d < s.free_memory.size(); ++d)
    if (arrived[d] > s.free_memory[d]) return "device " + std::to_string(d) + " has no room";
  return "";
}

class library : public testing::TestWithParam<const char*> {
 protected:
  std::vector<int> solve(const snapshot& s) const { return find_strategy(GetParam()).solve(s.view()); }
  /// The multiple of the average that the busiest may reach without being worse than the start.
  double acceptable() const {
    const std::string name = GetParam();
    return name == "curve" || name == "bisect" || name == "graph" || name == "auto" ? 1.05 : 1;
  }
  bool balances() const {
    const std::string name = GetParam();
    return name != "random" && name != "rotate";
  }
};

TEST_P(library, answers_random_problems_with_what_is_allowed) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const snapshot s = random_problem(seed);
    ASSERT_NO_THROW(check(s.view())) << seed;
    testing::internal::CaptureStdout();
    const std::vector<int> solution = solve(s), again = solve(s);
    ASSERT_EQ(testing::internal::GetCapturedStdout(), "") << seed;  // METIS prints where it cannot part
    ASSERT_EQ(complaint(s, solution), "") << seed;
    ASSERT_EQ(again, solution) << seed;
  }
}

TEST_P(library, is_never_worse_than_the_start) {
  if (!balances()) return;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const snapshot s = random_problem(seed);
    const imbalance before = imbalance_of(s.view(), s.pe), after = imbalance_of(s.view(), solve(s));
    ASSERT_LE(after.devices, std::max(acceptable(), before.devices) * (1 + 1e-9)) << seed;
    if (after.devices >= before.devices) {
      ASSERT_LE(after.pes, std::max(acceptable(), before.pes) * (1 + 1e-9)) << seed;
    }
  }
}

TEST_P(library, answers_alike_for_loads_of_any_size) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    snapshot s = random_problem(seed);
    const std::vector<int> solution = solve(s);
    for (double& load : s.load) load = std::ldexp(load, -60);
    for (double& load : s.device_load) load = std::ldexp(load, -60);
    ASSERT_EQ(solve(s), solution) << seed;
  }
}

TEST_P(library, takes_odd_problems) {
  snapshot s;
  s.pes = 1;
  EXPECT_TRUE(solve(s).empty());
  s.pe = {0, 0, 0};
  s.load = {1, 2, 3};
  EXPECT_EQ(solve(s), s.pe);  // one PE
  s.pes = 50;
  EXPECT_EQ(complaint(s, solve(s)), "");  // more PEs than objects
  s.load = {0, 0, 0};
  EXPECT_EQ(complaint(s, solve(s)), "");
  s.load = {1e300, 1e-300, 0};
  EXPECT_EQ(complaint(s, solve(s)), "");
  s.load.clear();
  EXPECT_EQ(complaint(s, solve(s)), "");
}

TEST(graph, takes_more_pes_than_metis_has_parts_for) {
  for (const int objects : {6000, 20'000}) {
    snapshot s;
    s.pes = 5000;
    for (int i = 0; i < objects; ++i) s.pe.push_back(i % 100);
    s.load.assign(s.pe.size(), 1);
    testing::internal::CaptureStdout();
    const std::vector<int> solution = find_strategy("graph").solve(s.view());
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    EXPECT_LT(imbalance_of(s.view(), solution).pes, imbalance_of(s.view(), s.pe).pes);
  }
}

/// The least time of the busiest PE, by trying all solutions.
double best(const snapshot& s) {
  double best = std::numeric_limits<double>::max();
  std::size_t solutions = 1;
  for (std::size_t i = 0; i < s.pe.size(); ++i) solutions *= static_cast<std::size_t>(s.pes);
  for (std::size_t number = 0; number < solutions; ++number) {
    std::vector<int> pes;
    for (std::size_t i = 0, rest = number; i < s.pe.size(); ++i, rest /= static_cast<std::size_t>(s.pes))
      pes.push_back(static_cast<int>(rest % static_cast<std::size_t>(s.pes)));
    best = std::min(best, imbalance_of(s.view(), pes).pes);
  }
  return best;
}

TEST_P(library, is_near_the_best_of_all_solutions_of_small_problems) {
  if (!balances() || GetParam() == std::string("none")) return;
  random dice(5);
  double sum = 0;
  constexpr int problems = 40;
  for (int k = 0; k < problems; ++k) {
    snapshot s;
    s.pes = 3;
    s.pe.assign(1 + dice.below(7), 0);
    for (std::size_t i = 0; i < s.pe.size(); ++i) s.load.push_back(static_cast<double>(1 + dice.below(9)));
    const double ratio = imbalance_of(s.view(), solve(s)).pes / best(s);
    ASSERT_LE(ratio, 1.5) << k;  // single moves reach this at worst
    sum += ratio;
  }
  EXPECT_LE(sum / problems, 1.1);
}

TEST_P(library, gives_fast_pes_more) {
  if (!balances() || GetParam() == std::string("none")) return;
  snapshot s;
  s.pes = 4;
  s.node = {0, 0, 1, 1};
  s.speed = {1, 2, 3, 4};
  s.pe.assign(1000, 0);
  s.load.assign(1000, 0.001);
  EXPECT_LE(imbalance_of(s.view(), solve(s)).pes, 1.03);
}

TEST_P(library, balances_devices_and_then_their_pes) {
  if (!balances() || GetParam() == std::string("none")) return;
  snapshot s;
  s.pes = 8;
  s.device = {0, 0, 1, 1, 2, 2, -1, -1};
  for (int i = 0; i < 600; ++i) {
    s.pe.push_back(0);
    s.load.push_back(i % 2 == 0 ? 1 : 2);
    s.device_load.push_back(i % 2 == 0 ? 1 : 0);  // the others can go where no device is
  }
  const imbalance found = imbalance_of(s.view(), solve(s));
  EXPECT_LE(found.devices, 1.03);
  EXPECT_LE(found.pes, 1.05);
}

INSTANTIATE_TEST_SUITE_P(all, library,
                         testing::Values("auto", "none", "segments", "curve", "bisect", "graph", "refine",
                                         "greedy", "gossip", "random", "rotate"),
                         [](const auto& name) { return std::string(name.param); });

std::size_t moved(const snapshot& s, const std::vector<int>& solution) {
  std::size_t moved = 0;
  for (std::size_t i = 0; i < solution.size(); ++i) moved += solution[i] != s.pe[i] ? 1 : 0;
  return moved;
}

/// A line of objects, as many on each PE.
snapshot line(int pes, int objects_of_pe) {
  snapshot s;
  s.pes = pes;
  s.dimensions = 1;
  for (int i = 0; i < pes * objects_of_pe; ++i) {
    s.pe.push_back(i / objects_of_pe);
    s.load.push_back(1);
    s.coordinates.push_back(static_cast<float>(i));
  }
  return s;
}

TEST(curve, renames_parts_so_that_objects_stay) {
  snapshot s = line(12, 10);
  for (int& pe : s.pe) pe = (pe + 5) % 12;  // another order of the PEs is no reason to move
  for (const char* const name : {"curve", "bisect"})
    EXPECT_EQ(find_strategy(name).solve(s.view()), s.pe) << name;
  for (int pe = 0; pe < 12; ++pe) s.node.push_back(pe / 4);
  for (int& pe : s.pe) pe = (pe + 4) % 12;
  for (int& pe : s.pe) pe = pe / 4 * 4 + (pe + 1) % 4;
  for (std::size_t i = 0; i < s.pe.size(); ++i)
    s.pe[i] = static_cast<int>(i) / 10 / 4 * 4 + (s.pe[i] + 1) % 4;
  for (const char* const name : {"curve", "bisect"})
    EXPECT_EQ(moved(s, find_strategy(name).solve(s.view())), 0U) << name;
}

TEST(segments, moves_no_more_than_is_needed_and_to_neighbours_first) {
  snapshot s = line(10, 100);
  for (std::size_t i = 400; i < 500; ++i) s.load[i] = 1.5;  // PE 4 has 150, and the average is 105
  const std::vector<int> solution = find_strategy("segments").solve(s.view());
  EXPECT_LE(imbalance_of(s.view(), solution).pes, 1.021);
  EXPECT_LE(moved(s, solution), 31U);
  EXPECT_EQ(solution[400], 3);
  EXPECT_EQ(solution[499], 5);
}

TEST(automatic, gathers_objects_that_are_scattered) {
  snapshot s = line(16, 64);
  EXPECT_EQ(find_strategy("auto").solve(s.view()), s.pe);
  for (std::size_t i = 0; i < s.pe.size(); ++i) s.pe[i] = static_cast<int>(i % 16);
  const std::vector<int> solution = find_strategy("auto").solve(s.view());
  std::size_t breaks = 0;
  for (std::size_t i = 1; i < solution.size(); ++i) breaks += solution[i] != solution[i - 1] ? 1 : 0;
  EXPECT_EQ(breaks, 15U);
}

TEST(gossip, knows_few_pes_and_still_balances) {
  snapshot s = line(1000, 20);
  for (std::size_t i = 0; i < 2000; ++i) s.load[i] = 3;
  s.seed = 7;
  EXPECT_LE(imbalance_of(s.view(), find_strategy("gossip").solve(s.view())).pes, 1.35);
}

}  // namespace
/// The imbalance that a strategy leaves with eight objects a PE, around a spot of nine times the load.
double imbalance_of_few(const char* strategy, int step) {
  constexpr int edge = 16, pes = 512;
  snapshot few;
  few.pes = pes;
  few.dimensions = 3;
  const double angle = step * 0.02;
  for (int x = 0; x < edge; ++x)
    for (int y = 0; y < edge; ++y)
      for (int z = 0; z < edge; ++z) {
        const double dx = (x + 0.5) / edge - (0.5 + 0.3 * std::cos(angle));
        const double dy = (y + 0.5) / edge - (0.5 + 0.3 * std::sin(angle));
        const double dz = (z + 0.5) / edge - 0.3;
        few.load.push_back(1 + 8 * std::exp(-20 * (dx * dx + dy * dy + dz * dz)));
        few.pe.push_back(((x * edge + y) * edge + z) * pes / (edge * edge * edge));
        for (const int c : {x, y, z}) few.coordinates.push_back(static_cast<float>(c));
      }
  return imbalance_of(few.view(), find_strategy(strategy).solve(few.view())).pes;
}

TEST(library, evens_out_few_objects_a_pe) {
  for (const int step : {0, 60, 120}) {
    for (const char* const strategy : {"auto", "greedy"})
      EXPECT_LT(imbalance_of_few(strategy, step), 1.06) << strategy << ", step " << step;
    for (const char* const strategy : {"curve", "refine"})
      EXPECT_LT(imbalance_of_few(strategy, step), 1.3) << strategy << ", step " << step;
  }
}

}  // namespace imbrex::balance
