// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <imbrex/balance/edges.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/testing/error_of.hpp>

namespace imbrex::balance {
namespace {

using testing::error_of;

TEST(edges, are_sorted_and_joined) {
  random draw(1);
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t objects = 1 + draw.below(9);
    snapshot p;
    p.pe.resize(objects);
    p.pes = 1;
    std::map<std::pair<std::uint32_t, std::uint32_t>, float> expected;
    std::vector<edge> edges;
    std::vector<float> bytes;
    for (std::uint64_t n = draw.below(40); n > 0; --n) {
      const edge one{static_cast<std::uint32_t>(draw.below(objects)),
                     static_cast<std::uint32_t>(draw.below(objects))};
      edges.push_back(one);
      bytes.push_back(static_cast<float>(draw.below(100)));
      expected[{one.from, one.to}] += bytes.back();
    }
    set_edges(p, edges, bytes);
    check(p.view());
    const std::vector<edge> found = edges_of(p.view());
    ASSERT_EQ(found.size(), expected.size());
    std::size_t i = 0;
    for (const auto& [ends, sum] : expected) {
      EXPECT_EQ(std::pair(found[i].from, found[i].to), ends);
      EXPECT_EQ(p.edge_bytes[i], sum);
      ++i;
    }
  }
}

TEST(edges, must_be_between_objects) {
  snapshot p;
  p.pe = {0, 0};
  p.pes = 1;
  EXPECT_EQ(error_of([&] { set_edges(p, {{0, 2}}, {1}); }),
            "an edge has the object 2 of 2: objects are numbered from 0");
  EXPECT_EQ(error_of([&] { set_edges(p, {{0, 1}}, {}); }),
            "there are bytes for 0 edges, not for 1: give one value for each edge");
}

}  // namespace
}  // namespace imbrex::balance
