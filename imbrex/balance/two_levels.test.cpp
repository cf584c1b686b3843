// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/two_levels.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <imbrex/balance/orbit.test.hpp>
#include <imbrex/balance/strategy.hpp>
#include <imbrex/base/random.hpp>

namespace imbrex::balance {
namespace {

std::vector<int> nodes_of(int pes, int node_pes) {
  std::vector<int> node;
  for (int pe = 0; pe < pes; ++pe) node.push_back(pe / node_pes);
  return node;
}

TEST(two_levels, have_about_as_many_groups_as_a_group_has_pes) {
  EXPECT_TRUE(groups_of(pes_of_two_levels - 1, {}).empty());
  for (const int pes : {256, 300, 512, 3072, 10'000})
    for (const int node_pes : {1, 4, 6, 37, 64, 200, pes}) {
      const auto node = nodes_of(pes, node_pes);
      const pe_groups groups = groups_of(pes, node);
      ASSERT_EQ(groups.first.front(), 0);
      EXPECT_TRUE(std::ranges::is_sorted(groups.first));
      for (int group = 0; group < groups.size(); ++group) {
        const int first = groups.first[static_cast<std::size_t>(group)], size = groups.end(group) - first;
        EXPECT_LE(size * size, 4 * pes) << pes << " " << node_pes;
        EXPECT_EQ(groups.of(first), group);
        EXPECT_EQ(groups.of(groups.end(group) - 1), group);
        // A group is a part of a node, or whole nodes.
        const bool begins_node = first == 0 || node[std::size_t(first)] != node[std::size_t(first) - 1];
        EXPECT_TRUE(begins_node || node[std::size_t(first)] == node[std::size_t(groups.end(group)) - 1]);
      }
      EXPECT_LE(groups.size() * groups.size(), 9 * pes) << pes << " " << node_pes;
    }
  EXPECT_EQ(groups_of(512, {}).size(), groups_of(512, std::vector<int>(512, 0)).size());
  EXPECT_TRUE(groups_of(512, std::vector<int>{0, 1, 0}).empty());
}

/// Objects of a cube with random loads, on random PEs; some must stay.
snapshot random_problem(int edge, int pes, std::uint64_t seed, bool with_memory) {
  random dice(seed);
  snapshot s;
  s.pes = pes;
  s.dimensions = 3;
  s.seed = seed;
  for (int i = 0; i < edge * edge * edge; ++i) {
    s.pe.push_back(static_cast<int>(dice.below(std::uint64_t(pes))));
    s.load.push_back(1 + static_cast<double>(dice.below(8)));
    s.movable.push_back(dice.below(10) > 0 ? 1 : 0);
    for (const int at : {i / edge / edge, i / edge % edge, i % edge}) s.coordinates.push_back(float(at));
    if (with_memory) s.device_bytes.push_back(dice.below(3) > 0 ? 0 : 10);
  }
  if (with_memory)
    for (int pe = 0; pe < pes; ++pe) {
      s.device.push_back(pe / 2);
      if (pe % 2 == 0) s.free_memory.push_back(50);
    }
  return s;
}

std::vector<int> in_two_levels(const char* name, const problem& p) {
  return solve_in_two_levels([name](const problem& part) { return find_strategy(name).solve(part); },
                             groups_of(p.on.pes, p.on.node), p);
}

TEST(two_levels, keep_the_rules_of_solutions) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const snapshot s = random_problem(14, 256 + 31 * int(seed), seed, seed % 2 == 0);
    const problem p = s.view();
    const pe_groups groups = groups_of(p.on.pes, {});
    for (const char* const name : {"auto", "segments", "curve", "bisect", "refine"}) {
      const auto solution = in_two_levels(name, p);
      ASSERT_EQ(solution.size(), p.size());
      EXPECT_EQ(solution, in_two_levels(name, p));
      for (std::size_t i = 0; i < p.size(); ++i) {
        if (!p.is_movable(i)) EXPECT_EQ(solution[i], p.pe[i]);
        if (p.device_bytes_of(i) > 0) EXPECT_EQ(groups.of(solution[i]), groups.of(p.pe[i]));
      }
      EXPECT_LE(imbalance_of(p, solution).pes, imbalance_of(p, p.pe).pes) << name << " " << seed;
    }
  }
}

TEST(two_levels, take_problems_without_loads_and_with_few_objects) {
  for (const int objects : {0, 1, 100}) {
    snapshot s;
    s.pes = 256;
    s.pe.assign(std::size_t(objects), 7);
    for (const char* const name : {"auto", "segments", "curve", "bisect", "refine"}) {
      EXPECT_EQ(in_two_levels(name, s.view()).size(), s.pe.size());
      s.load.assign(s.pe.size(), 2.5);
      const auto spread = in_two_levels(name, s.view());
      EXPECT_LE(imbalance_of(s.view(), spread).pes, imbalance_of(s.view(), s.pe).pes) << name;
      s.load.clear();
    }
  }
}

TEST(two_levels, are_for_many_objects_without_loads_of_devices) {
  const auto at_once = [](const problem& p) { return find_strategy("segments").solve_at_once(p); };
  const strategy few{"two-levels-from-100", at_once, {.coordinates = true, .most_at_once = 100}};
  const strategy many{"two-levels-from-1000", at_once, {.coordinates = true, .most_at_once = 1000}};
  snapshot s = random_problem(8, 256, 3, true);
  EXPECT_EQ(few.solve(s.view()), solve_in_two_levels(at_once, groups_of(256, {}), s.view()));
  EXPECT_NE(few.solve(s.view()), few.solve_at_once(s.view()));
  EXPECT_EQ(many.solve(s.view()), few.solve_at_once(s.view()));
  s.device_load.assign(s.pe.size(), 1);
  EXPECT_EQ(few.solve(s.view()), few.solve_at_once(s.view()));
}

TEST(two_levels, are_nearly_as_good_as_one) {
  orbit spot(30, 264, 6, 0.01);
  const strategy two_levels{"auto-in-two-levels", [](const problem& p) { return in_two_levels("auto", p); }};
  const orbit::result one = spot.run(find_strategy("auto"), 20), two = spot.run(two_levels, 20);
  EXPECT_LE(two.imbalance, one.imbalance + 0.02);
  EXPECT_LE(two.moved, 3 * one.moved);
  EXPECT_LE(two.mean_node_cut, 1.15 * one.mean_node_cut);
}

}  // namespace
}  // namespace imbrex::balance
