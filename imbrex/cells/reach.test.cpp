// SPDX-License-Identifier: Apache-2.0
#include <imbrex/cells/reach.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace imbrex::cells::detail {
namespace {

grid::boundaries<2> around() { return grid::boundaries<2>(grid::boundary::periodic); }

TEST(reach, is_symmetric) {
  const domain<2> box({0, 0}, {7, 5}, {7, 5}, around());
  const grid::decomposition<2> cut({std::vector<int>{2, 1, 4}, {3, 2}});
  for (const double distance : {0.5, 1.0, 2.5, 9.0}) {
    std::map<std::uint64_t, reach<2>> of;
    for (const auto& block : indices(cut.shape()))
      of[imbrex::detail::linear(cut.shape(), block)] = make_reach(box, cut, block, distance, purpose::copies);
    for (const auto& [number, own_reach] : of)
      for (const auto& p : own_reach.partners) {
        const partner<2>* back = nullptr;
        for (const auto& q : of[p.block].partners)
          if (q.block == number) back = &q;
        ASSERT_NE(back, nullptr);
        ASSERT_EQ(back->take.size(), p.give.size());
        for (std::size_t k = 0; k < p.give.size(); ++k) {
          EXPECT_EQ(back->take[k].wrap, p.give[k].wrap);
          EXPECT_EQ(back->take[k].cells.extents, p.give[k].cells.extents);
        }
      }
  }
}

TEST(reach, covers_the_region_once) {
  const domain<2> box({0, 0}, {3, 4}, {3, 4}, around());
  const grid::decomposition<2> cut({3, 4}, {1, 2});
  const auto r = make_reach(box, cut, {0, 1}, 4.5, purpose::copies);
  EXPECT_EQ(r.region, (grid::box<2>{{-5, -3}, {13, 12}}));
  std::map<index<2>, int> times;
  for (const auto& part : r.images)
    for (const auto& at : part.cells) ++times[at];
  for (const auto& p : r.partners)
    for (const auto& part : p.take)
      for (const auto& at : part.cells) ++times[at];
  for (const auto& at : cut[{0, 1}]) ++times[at];
  EXPECT_EQ(times.size(), r.region.size());
  for (const auto& [at, n] : times) EXPECT_EQ(n, 1) << to_string(at);
}

TEST(reach, ends_at_a_wall) {
  const domain<2> box({0, 0}, {4, 4}, {4, 4}, grid::boundaries<2>(grid::boundary::reflecting));
  const grid::decomposition<2> cut({4, 4}, {4, 1});
  const auto r = make_reach(box, cut, {0, 0}, 2, purpose::copies);
  EXPECT_EQ(r.region, (grid::box<2>{{0, 0}, {3, 4}}));
  ASSERT_EQ(r.partners.size(), 2U);
  EXPECT_EQ(r.partners[1].where, index2(2, 0));
  EXPECT_TRUE(r.images.empty());
}

}  // namespace
}  // namespace imbrex::cells::detail
