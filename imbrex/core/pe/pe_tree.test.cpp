// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/pe_tree.hpp>

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace imbrex::detail {
namespace {

std::vector<tree_place> tree_of(int pes, int root, const std::vector<int>& host_starts) {
  std::vector<tree_place> places;
  for (int p = 0; p < pes; ++p) places.push_back(place_in_tree(p, root, pes, host_starts));
  return places;
}

/// The PEs in the subtree of a PE, including itself, ascending. Checks that children and parents agree.
std::vector<int> subtree_of(const std::vector<tree_place>& tree, int pe) {
  std::vector<int> all{pe};
  for (const int child : tree[static_cast<std::size_t>(pe)].children) {
    EXPECT_EQ(tree[static_cast<std::size_t>(child)].parent, pe);
    const auto below = subtree_of(tree, child);
    all.insert(all.end(), below.begin(), below.end());
  }
  std::ranges::sort(all);
  return all;
}

int height_of(const std::vector<tree_place>& tree, int pe) {
  int height = 0;
  for (const int child : tree[static_cast<std::size_t>(pe)].children)
    height = std::max(height, 1 + height_of(tree, child));
  return height;
}

/// Messages over tree edges that join two hosts.
int edges_between_hosts(const std::vector<tree_place>& tree, const std::vector<int>& host_starts) {
  int edges = 0;
  const auto host_of = [&](int p) { return std::ranges::upper_bound(host_starts, p) - host_starts.begin(); };
  for (std::size_t p = 0; p < tree.size(); ++p)
    for (const int child : tree[p].children) edges += host_of(static_cast<int>(p)) != host_of(child) ? 1 : 0;
  return edges;
}

void check(int pes, int root, const std::vector<int>& host_starts) {
  const auto tree = tree_of(pes, root, host_starts);
  EXPECT_EQ(tree[static_cast<std::size_t>(root)].parent, -1);
  EXPECT_EQ(subtree_of(tree, root).size(), static_cast<std::size_t>(pes));
  for (int p = 0; p < pes; ++p) {
    const auto all = subtree_of(tree, p);
    ASSERT_EQ(all.back() - all.front() + 1, static_cast<int>(all.size())) << "below PE " << p;
    EXPECT_LE(tree[static_cast<std::size_t>(p)].children.size(), 2U * tree_place::arity);
  }
  EXPECT_EQ(edges_between_hosts(tree, host_starts), static_cast<int>(host_starts.size()) - 1);
}

TEST(pe_tree, reaches_each_pe_once_by_consecutive_subtrees) {
  for (int pes = 1; pes <= 40; ++pes)
    for (int root = 0; root < pes; ++root) {
      SCOPED_TRACE(::testing::Message() << pes << " PEs, root " << root);
      check(pes, root, {0});
    }
}

TEST(pe_tree, joins_hosts_by_one_edge_each) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const int pes = 1 + static_cast<int>(random() % 60);
    std::vector<int> starts{0};
    for (int p = 1; p < pes; ++p)
      if (random() % 4 == 0) starts.push_back(p);
    SCOPED_TRACE(::testing::Message() << "drawn " << i);
    check(pes, static_cast<int>(random() % static_cast<unsigned>(pes)), starts);
  }
}

TEST(pe_tree, is_not_high) {
  for (const int pes : {48, 192, 3072, 65'536}) {
    const auto tree = tree_of(pes, pes / 3, {0});
    EXPECT_LE(height_of(tree, pes / 3), std::bit_width(static_cast<unsigned>(pes)));
  }
}

TEST(pe_tree, sends_to_the_largest_subtree_first) {
  const auto tree = tree_of(1000, 0, {0});
  const auto& children = tree[0].children;
  ASSERT_EQ(children.size(), 4U);
  for (std::size_t i = 1; i < children.size(); ++i)
    EXPECT_GE(subtree_of(tree, children[i - 1]).size(), subtree_of(tree, children[i]).size());
}

}  // namespace
}  // namespace imbrex::detail
