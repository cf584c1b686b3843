// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/edges.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>

namespace imbrex::balance {

std::vector<edge> edges_of(const problem& p) {
  std::vector<edge> all;
  all.reserve(p.edge_to.size());
  for (std::size_t from = 0; from + 1 < p.first_edge.size(); ++from)
    for (std::size_t e = p.first_edge[from]; e < p.first_edge[from + 1]; ++e)
      all.push_back({static_cast<std::uint32_t>(from), p.edge_to[e]});
  return all;
}

void set_edges(snapshot& p, const std::vector<edge>& edges, const std::vector<float>& bytes) {
  const std::size_t objects = p.pe.size();
  if (bytes.size() != edges.size())
    throw error("there are bytes for " + std::to_string(bytes.size()) + " edges, not for " +
                std::to_string(edges.size()) + ": give one value for each edge");
  for (const edge& each : edges)
    if (const auto last = std::max(each.from, each.to); last >= objects)
      throw error("an edge has the object " + std::to_string(last) + " of " + std::to_string(objects) +
                  ": objects are numbered from 0");
  std::vector<std::size_t> order(edges.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto ends = [&](std::size_t i) { return std::pair(edges[i].from, edges[i].to); };
  std::ranges::sort(order, {}, ends);
  p.first_edge.assign(edges.empty() ? 0 : objects + 1, 0);
  p.edge_to.clear();
  p.edge_bytes.clear();
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && ends(order[k - 1]) == ends(order[k])) {
      p.edge_bytes.back() += bytes[order[k]];
      continue;
    }
    ++p.first_edge[edges[order[k]].from + std::size_t{1}];
    p.edge_to.push_back(edges[order[k]].to);
    p.edge_bytes.push_back(bytes[order[k]]);
  }
  std::partial_sum(p.first_edge.begin(), p.first_edge.end(), p.first_edge.begin());
}

}  // namespace imbrex::balance
