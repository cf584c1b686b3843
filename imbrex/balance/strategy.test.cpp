// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/strategy.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/balance/snapshot.hpp>
#include <imbrex/base/error.hpp>

namespace imbrex::balance {
namespace {

const strategy last_pe{"mine", [](const problem& p) { return std::vector<int>(p.size(), p.on.pes - 1); }};

template <class Function>
std::string error_of(const Function& f) {
  try {
    f();
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

TEST(strategy, is_found_by_its_name) {
  EXPECT_EQ(&find_strategy("mine"), &last_pe);
  EXPECT_EQ(find_strategy("segments").name(), "segments");
  EXPECT_TRUE(find_strategy("graph").wants().edges);
  EXPECT_FALSE(find_strategy("refine").wants().coordinates);
  EXPECT_EQ(strategy_names().front(), "auto");
  EXPECT_EQ(strategy_names().back(), "mine");
}

TEST(strategy, that_is_unknown_is_refused_with_those_that_are_there) {
  EXPECT_THROW(find_strategy("segment"), usage_error);
  EXPECT_EQ(error_of([] { find_strategy("segment"); }),
            "there is no strategy 'segment'; there are: auto, none, segments, curve, bisect, graph, refine, "
            "greedy, "
            "gossip, random, rotate, mine; did you mean segments?");
}

TEST(strategy, is_forgotten_when_it_is_destroyed) {
  {
    const strategy other("other", [](const problem&) { return std::vector<int>(); });
    EXPECT_EQ(&find_strategy("other"), &other);
  }
  EXPECT_THROW(find_strategy("other"), usage_error);
}

TEST(strategy, with_a_name_that_is_taken_is_refused_when_it_is_looked_for) {
  const strategy second("curve", [](const problem&) { return std::vector<int>(); });
  EXPECT_EQ(error_of([] { find_strategy("curve"); }),
            "two strategies have the name 'curve': rename the program's own");
}

TEST(strategy, that_answers_nonsense_is_named) {
  snapshot s;
  s.pes = 2;
  s.pe = {0, 1, 0};
  const strategy few("few", [](const problem&) { return std::vector{1}; });
  EXPECT_EQ(error_of([&] { few.solve(s.view()); }),
            "the strategy 'few' returned 1 PEs for 3 objects: let it return one for each");
  for (const int pe : {-1, 2}) {
    const strategy far("far", [pe](const problem&) { return std::vector{0, pe, 0}; });
    EXPECT_EQ(
        error_of([&] { far.solve(s.view()); }),
        "the strategy 'far' moved object 1 to PE " + std::to_string(pe) + ": the machine has PEs 0 to 1");
  }
  const strategy thrower("thrower",
                         [](const problem&) -> std::vector<int> { throw std::runtime_error("no"); });
  EXPECT_THROW(thrower.solve(s.view()), std::runtime_error);
}

TEST(strategy, moves_only_what_may_move_and_fits) {
  snapshot s;
  s.pes = 3;
  s.device = {0, -1, 1};
  s.pe = {0, 0, 0, 0, 2, 0};
  s.movable = {1, 0, 1, 1, 1, 1};
  s.device_bytes = {60, 10, 60, 0, 10, 40};
  s.free_memory = {0, 100};
  EXPECT_EQ(last_pe.solve(s.view()), (std::vector{2, 0, 0, 2, 2, 2}));
  const strategy second("second", [](const problem& p) { return std::vector<int>(p.size(), 1); });
  EXPECT_EQ(second.solve(s.view()), (std::vector{0, 0, 0, 1, 2, 0}));  // PE 1 has no device
}

}  // namespace
}  // namespace imbrex::balance
