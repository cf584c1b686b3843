// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include <imbrex/tools/predict/prediction.hpp>

namespace imbrex::predict {
namespace {

/// An ODF that is less than this faster than the least one is not worth its overhead.
constexpr double worth_naming = 1.01;
/// Below this part of the ideal speed, more nodes are wasted.
constexpr double least_efficiency = 0.5;
/// A part of the machine whose improvement gains less does not bound a program.
constexpr double least_bound = 1.05;

std::vector<const point*> best_points(const prediction& of) {
  std::vector<const point*> all;
  for (const int nodes : of.request.nodes)
    if (const point* const best = best_on(of, nodes)) all.push_back(best);
  return all;
}

const point* find(const prediction& of, int nodes, int odf) {
  for (const point& each : of.points)
    if (each.nodes == nodes && each.odf == odf && each.failure.empty()) return &each;
  return nullptr;
}

std::string nodes_text(int nodes) { return nodes == 1 ? "1 node" : std::to_string(nodes) + " nodes"; }

/// The point's ODF, or the least one if that is nearly as fast.
int chosen_odf(const prediction& of, const point& best) {
  const point* const least = find(of, best.nodes, of.request.odf.front());
  return least != nullptr && least->time < worth_naming * best.time ? least->odf : best.odf;
}

/// "ODF 1 up to 8 nodes, ODF 2 from 64 nodes on."
std::string odf_text(const prediction& of, const std::vector<const point*>& best) {
  std::string text;
  const int first = chosen_odf(of, *best.front());
  const bool is_one = std::ranges::all_of(best, [&](const point* p) { return chosen_odf(of, *p) == first; });
  if (is_one) {
    text = fmt::format("ODF {} is best on all numbers of nodes", first);
  } else {
    int last = 0;
    for (std::size_t i = 0; i < best.size(); ++i) {
      const int odf = chosen_odf(of, *best[i]);
      if (odf != last)
        text += fmt::format("{}ODF {} from {} on", i == 0 ? "" : ", ", odf, nodes_text(best[i]->nodes));
      last = odf;
    }
    text = "Best: " + text;
  }
  const point& at = *best.back();
  const point* const least = find(of, at.nodes, of.request.odf.front());
  if (least != nullptr && chosen_odf(of, at) != least->odf)
    text += fmt::format("; on {} ODF {} is {:.2f} times as fast as ODF {}", nodes_text(at.nodes), at.odf,
                        least->time / at.time, least->odf);
  return text + ".";
}

/// The part of the ideal speed, for a problem that stays or that grows with the nodes.
double efficiency(const prediction& of, const point& first, const point& at) {
  const bool grows = !of.request.at.empty();
  return first.time / at.time * (grows ? 1 : static_cast<double>(first.nodes) / at.nodes);
}

std::string scaling_text(const prediction& of, const std::vector<const point*>& best) {
  const point& first = *best.front();
  const point& last = *best.back();
  const point* good = &first;
  for (const point* const each : best)
    if (efficiency(of, first, *each) >= least_efficiency) good = each;
  const std::string speed =
      of.request.at.empty()
          ? fmt::format("{} are {:.2f} times as fast as {}", nodes_text(last.nodes), first.time / last.time,
                        nodes_text(first.nodes))
          : fmt::format("on {} a step takes {:.2f} times as long as on {}", nodes_text(last.nodes),
                        last.time / first.time, nodes_text(first.nodes));
  if (good == &last)
    return fmt::format("The program scales to {}: {}, an efficiency of {:.0f} %.", nodes_text(last.nodes),
                       speed, 100 * efficiency(of, first, last));
  return fmt::format("Use at most {}: beyond, the efficiency falls below {:.0f} %; {}.",
                     nodes_text(good->nodes), 100 * least_efficiency, speed);
}

std::string bound_text(const prediction& of, int nodes) {
  const auto& gains = of.what_ifs.at(nodes);
  if (gains.empty() || gains.front().gain < least_bound)
    return fmt::format(
        "On {} no part of the machine bounds alone: none that is twice as good brings {:.0f} %.",
        nodes_text(nodes), 100 * (least_bound - 1));
  std::string text = fmt::format("On {} the limit is {}: {} would bring {:.2f}", nodes_text(nodes),
                                 gains.front().part, gains.front().change, gains.front().gain);
  if (gains.size() > 1 && gains[1].gain >= least_bound)
    text += fmt::format(", {} {:.2f}", gains[1].change, gains[1].gain);
  return text + ".";
}

}  // namespace

std::vector<std::string> advice(const prediction& of) {
  const auto best = best_points(of);
  std::vector<std::string> all;
  if (best.empty()) return all;
  if (of.request.odf.size() > 1) all.push_back(odf_text(of, best));
  if (best.size() > 1) all.push_back(scaling_text(of, best));
  if (!of.what_ifs.empty()) all.push_back(bound_text(of, of.what_ifs.rbegin()->first));
  return all;
}

}  // namespace imbrex::predict
