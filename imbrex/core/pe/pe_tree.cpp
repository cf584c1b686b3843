// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/pe_tree.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace imbrex::detail {

namespace {

/// The nodes from `first` up to, but excluding, `last`.
struct interval {
  int first = 0;
  int last = 0;

  int size() const { return last - first; }
  bool holds(int node) const { return first <= node && node < last; }
};

/// A node with all nodes below it.
struct subtree {
  int node = 0;
  interval all{};
};

/// Relative subtree sizes. Each child receives about half a message time later than the one before; in this
/// time the earlier subtree grows by half.
constexpr std::array<int, tree_place::arity> weights{27, 18, 12, 8};

/// Cuts an interval into at most `parts` parts; the first node of each part is its root.
void split(interval all, int parts, std::vector<subtree>& into) {
  parts = std::min(parts, all.size());
  int left_weight = std::accumulate(weights.begin(), weights.begin() + parts, 0);
  for (int i = 0; i < parts; ++i) {
    const int later = parts - i - 1;
    const int share =
        static_cast<int>(std::int64_t{all.size()} * weights[static_cast<std::size_t>(i)] / left_weight);
    const int size = later == 0 ? all.size() : std::clamp(share, 1, all.size() - later);
    into.push_back({all.first, {all.first, all.first + size}});
    all.first += size;
    left_weight -= weights[static_cast<std::size_t>(i)];
  }
}

/// The subtrees of a node's children, the largest first.
std::vector<subtree> below(const subtree& whole) {
  const interval before{whole.all.first, whole.node};
  const interval after{whole.node + 1, whole.all.last};
  constexpr int half = tree_place::arity / 2;
  const int parts_after = std::min(after.size(), tree_place::arity - std::min(before.size(), half));
  std::vector<subtree> children;
  split(before, tree_place::arity - parts_after, children);
  split(after, parts_after, children);
  std::ranges::sort(children, [](const subtree& a, const subtree& b) {
    return a.all.size() != b.all.size() ? a.all.size() > b.all.size() : a.node < b.node;
  });
  return children;
}

/// The subtree of a node, and its parent; -1 if there is none.
struct found_subtree {
  subtree whole;
  int parent = -1;
};
found_subtree find(int node, subtree whole) {
  int parent = -1;
  while (whole.node != node) {
    parent = whole.node;
    const auto children = below(whole);
    whole = *std::ranges::find_if(children, [node](const subtree& s) { return s.all.holds(node); });
  }
  return {whole, parent};
}

}  // namespace

std::size_t tree_place::position_of(int child) const {
  return static_cast<std::size_t>(std::ranges::find(children, child) - children.begin());
}

tree_place place_in_tree(int pe, int root, int pes, std::span<const int> host_starts) {
  const auto host_of = [&](int p) {
    return static_cast<int>(std::ranges::upper_bound(host_starts, p) - host_starts.begin()) - 1;
  };
  const int hosts = static_cast<int>(host_starts.size());
  const int root_host = host_of(root);
  const auto first_of = [&](int host) { return host_starts[static_cast<std::size_t>(host)]; };
  const auto head_of = [&](int host) { return host == root_host ? root : first_of(host); };

  const int host = host_of(pe);
  const auto [other_hosts, parent_host] = find(host, {root_host, {0, hosts}});
  const int last = host + 1 < hosts ? first_of(host + 1) : pes;
  const auto [whole, parent] = find(pe, {head_of(host), {first_of(host), last}});

  tree_place place;
  place.parent = parent;
  if (pe == head_of(host)) {
    if (parent_host >= 0) place.parent = head_of(parent_host);
    for (const auto& s : below(other_hosts)) place.children.push_back(head_of(s.node));
  }
  for (const auto& s : below(whole)) place.children.push_back(s.node);
  return place;
}

}  // namespace imbrex::detail
