// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/quality.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace imbrex::balance {
namespace {

/// The busiest over the average.
double ratio(std::span<const double> loads, std::span<const double> speeds) {
  const double load = std::accumulate(loads.begin(), loads.end(), 0.0);
  const double speed = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  double busiest = 0;
  for (std::size_t i = 0; i < loads.size(); ++i)
    if (speeds[i] > 0) busiest = std::max(busiest, loads[i] / speeds[i]);
  return load > 0 ? busiest / (load / speed) : 1;
}

double device_ratio(const problem& p, std::span<const int> pes) {
  if (p.device_load.empty()) return 1;
  std::vector<double> loads(static_cast<std::size_t>(p.on.devices()));
  for (std::size_t i = 0; i < p.size(); ++i)
    if (const int device = p.on.device_of(pes[i]); device >= 0)
      loads[static_cast<std::size_t>(device)] += p.device_load[i];
  std::vector<double> speeds(loads.size());
  for (const int device : p.on.device)
    if (device >= 0) speeds[static_cast<std::size_t>(device)] = 1;
  return ratio(loads, speeds);
}

/// The fraction of the bytes of edges between objects of which `apart` says so.
template <class Apart>
double cut_by(const problem& p, const Apart& apart) {
  if (p.edge_to.empty()) return 0;
  double all = 0, cut = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t e = p.first_edge[i]; e < p.first_edge[i + 1]; ++e) {
      const double bytes = p.edge_bytes.empty() ? 1 : static_cast<double>(p.edge_bytes[e]);
      all += bytes;
      if (apart(i, static_cast<std::size_t>(p.edge_to[e]))) cut += bytes;
    }
  return all > 0 ? cut / all : 0;
}

}  // namespace

imbalance imbalance_of(const problem& p, std::span<const int> pes) {
  std::vector<double> loads(static_cast<std::size_t>(p.on.pes)), speeds(loads.size());
  for (std::size_t i = 0; i < p.size(); ++i) loads[static_cast<std::size_t>(pes[i])] += p.load_of(i);
  std::vector<double> node_loads(static_cast<std::size_t>(p.on.nodes())), node_speeds(node_loads.size());
  for (int pe = 0; pe < p.on.pes; ++pe) {
    const auto at = static_cast<std::size_t>(pe), node = static_cast<std::size_t>(p.on.node_of(pe));
    speeds[at] = p.on.speed_of(pe);
    node_loads[node] += loads[at];
    node_speeds[node] += speeds[at];
  }
  return {
      .pes = ratio(loads, speeds), .devices = device_ratio(p, pes), .nodes = ratio(node_loads, node_speeds)};
}

quality quality_of(const problem& p, std::span<const int> solution) {
  quality found{.after = imbalance_of(p, solution)};
  std::size_t moved = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (solution[i] != p.pe[i]) {
      ++moved;
      found.bytes += p.bytes_of(i);
    }
  if (moved > 0) found.moved = static_cast<double>(moved) / static_cast<double>(p.size());
  found.cut = cut_by(p, [&](std::size_t a, std::size_t b) { return solution[a] != solution[b]; });
  found.node_cut = node_cut_of(p, solution);
  return found;
}

double node_cut_of(const problem& p, std::span<const int> pes) {
  return cut_by(p,
                [&](std::size_t a, std::size_t b) { return p.on.node_of(pes[a]) != p.on.node_of(pes[b]); });
}

}  // namespace imbrex::balance
