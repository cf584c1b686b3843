// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <imbrex/balance/internal/bin_loads.hpp>
#include <imbrex/balance/internal/library.hpp>
#include <imbrex/balance/internal/metis.hpp>
#include <imbrex/balance/internal/ordered_problem.hpp>
#include <imbrex/balance/internal/parts.hpp>
#include <imbrex/balance/internal/stage.hpp>

namespace imbrex::balance::detail {
namespace {

// METIS adds weights up in 32 bits.
constexpr double sum_of_weights = 5e8;
constexpr double most_edge_weight = 1000;
// METIS fails where a part stays empty: so it gets several objects for each part, none heavier than a part.
constexpr std::size_t least_objects_of_part = 4;
constexpr double least_share = 0.05;  // share of the average capacity
constexpr std::int32_t absent = -1;

struct edge {
  std::int32_t from, to;
  double bytes;
};

/// The edges between objects of the region, at both ends, sorted.
std::vector<edge> edge_ends(const problem& p, const std::vector<std::uint32_t>& objects,
                            const std::vector<std::int32_t>& vertex_of) {
  std::vector<edge> ends;
  for (std::size_t k = 0; k < objects.size() && !p.first_edge.empty(); ++k)
    for (std::size_t e = p.first_edge[objects[k]]; e < p.first_edge[objects[k] + 1]; ++e) {
      const auto from = static_cast<std::int32_t>(k), to = vertex_of[p.edge_to[e]];
      if (to == absent || to == from) continue;
      const double bytes = p.edge_bytes.empty() ? 1 : static_cast<double>(p.edge_bytes[e]);
      ends.push_back({from, to, bytes});
      ends.push_back({to, from, bytes});
    }
  std::sort(ends.begin(), ends.end(),
            [](const edge& a, const edge& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
  return ends;
}

/// Joins the edges between the same objects.
std::vector<edge> joined(const std::vector<edge>& ends) {
  std::vector<edge> all;
  for (const edge& end : ends) {
    if (all.empty() || all.back().from != end.from || all.back().to != end.to)
      all.push_back(end);
    else
      all.back().bytes += end.bytes;
  }
  return all;
}

/// Integer weights of objects. None is heavier than a part would then be, nor weightless.
std::vector<std::int32_t> vertex_weights(const region_objects& region) {
  constexpr int rounds = 20;
  const weights& weight = region.weight;
  const auto parts = static_cast<double>(region.bins.size());
  double sum = weight.total(), most = sum / parts;
  for (int round = 0; round < rounds; ++round) {
    sum = 0;
    for (const std::uint32_t object : region.objects) sum += std::min(most, weight(object));
    most = sum / parts;
  }
  std::vector<std::int32_t> found;
  for (const std::uint32_t object : region.objects)
    found.push_back(1 + static_cast<std::int32_t>(std::min(most, weight(object)) / sum * sum_of_weights));
  return found;
}

weighted_graph graph_of(const stage& s, const region_objects& region, std::vector<std::int32_t>& vertex_of) {
  weighted_graph graph{.vertex_weight = vertex_weights(region)};
  for (std::size_t k = 0; k < region.objects.size(); ++k)
    vertex_of[region.objects[k]] = static_cast<std::int32_t>(k);
  const std::vector<edge> edges = joined(edge_ends(s.of, region.objects, vertex_of));
  double most = 0;
  for (const edge& e : edges) most = std::max(most, e.bytes);
  graph.first.resize(region.objects.size() + 1);
  graph.other.reserve(edges.size() + 1);  // METIS takes no null pointers
  graph.edge_weight.reserve(edges.size() + 1);
  for (const edge& e : edges) {
    ++graph.first[static_cast<std::size_t>(e.from) + 1];
    graph.other.push_back(e.to);
    graph.edge_weight.push_back(
        std::max(1, static_cast<int>(std::lround(most > 0 ? e.bytes / most * most_edge_weight : 1))));
  }
  std::partial_sum(graph.first.begin(), graph.first.end(), graph.first.begin());
  for (const std::uint32_t object : region.objects) vertex_of[object] = absent;
  return graph;
}

/// Puts the objects into the order of their parts; returns the ends of the parts.
std::vector<std::size_t> sort_by_part(region_objects& region, const std::vector<std::int32_t>& part) {
  std::vector<std::size_t> end(region.bins.size());
  for (const std::int32_t one : part) ++end[static_cast<std::size_t>(one)];
  std::partial_sum(end.begin(), end.end(), end.begin());
  std::vector<std::size_t> next{0};
  next.insert(next.end(), end.begin(), end.end());
  std::vector<std::uint32_t> sorted(region.objects.size());
  for (std::size_t k = 0; k < part.size(); ++k)
    sorted[next[static_cast<std::size_t>(part[k])]++] = region.objects[k];
  region.objects = std::move(sorted);
  return end;
}

/// The bins that can take a part, by their places among the region's bins.
std::vector<std::size_t> bins_with_room(const region_objects& region) {
  const double all = std::accumulate(region.capacity.begin(), region.capacity.end(), 0.0);
  const double least = least_share * all / static_cast<double>(region.bins.size());
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < region.bins.size(); ++k)
    if (region.capacity[k] > least) found.push_back(k);
  return found;
}

/// Cuts a region by METIS, or along the curve where it has too few objects for that. Returns the ends of the
/// parts.
std::vector<std::size_t> cut(const stage& s, region_objects& region, std::vector<std::int32_t>& vertex_of) {
  const std::vector<std::size_t> bins = bins_with_room(region);
  if (bins.size() < 2 || region.objects.size() < least_objects_of_part * bins.size())
    return ends_along_curve(region);
  std::vector<double> shares;
  for (const std::size_t bin : bins) shares.push_back(region.capacity[bin]);
  weighted_graph graph = graph_of(s, region, vertex_of);
  std::vector<std::int32_t> part = part_by_metis(graph, shares, s.of.seed);
  for (std::int32_t& one : part) one = static_cast<std::int32_t>(bins[static_cast<std::size_t>(one)]);
  return sort_by_part(region, part);
}

void solve_by_graph(const stage& s, placement& places) {
  std::vector<std::int32_t> vertex_of(s.of.size(), absent);
  for (region_objects& region : objects_of_regions(s, places)) {
    const std::vector<std::size_t> end = cut(s, region, vertex_of);
    assign_parts(s, places, region, end);
  }
  relieve_heavy_bins(s, places);
}

}  // namespace

std::vector<int> graph(const problem& p) {
  const ordered_problem ordered(p);
  return solve_by_stages(ordered.get(), solve_by_graph, acceptable_if_compact);
}

}  // namespace imbrex::balance::detail
