// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include <imbrex/base/options/command_words.hpp>
#include <imbrex/tools/predict/prediction.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/trace/table.hpp>

namespace imbrex::predict {
namespace {

std::string time_text(double time) { return time > 0 ? tools::readable_time(time) : "-"; }
std::string ratio_text(double ratio) { return fmt::format("{:.3f}", ratio); }

std::string measured_text(const settings& request) {
  const std::string what = request.phase.empty() ? "the run" : "the phases " + request.phase;
  if (request.steps == 0) return what;
  return fmt::format("a step, from {} with {} {} and {}", what, request.step_option, request.steps,
                     2 * request.steps);
}

const point* first_best(const prediction& of) {
  for (const int nodes : of.request.nodes)
    if (const point* const best = best_on(of, nodes)) return best;
  return nullptr;
}

std::vector<std::string> cells_of(const prediction& of, const point& each) {
  const point* const first = first_best(of);
  const bool is_best = best_on(of, each.nodes) == &each;
  std::vector<std::string> cells{std::to_string(each.nodes), std::to_string(each.pes),
                                 each.odf == 0 ? "-" : std::to_string(each.odf)};
  if (!each.failure.empty()) {
    cells.insert(cells.end(), {"-", "-", "-", "-", "-", each.failure});
    return cells;
  }
  cells.insert(cells.end(), {time_text(each.time), ratio_text(first->time / each.time)});
  if (each.shares)
    cells.insert(cells.end(),
                 {tools::readable_part(each.shares->program), tools::readable_part(each.shares->exposed),
                  each.shares->device ? tools::readable_part(*each.shares->device) : "-"});
  else
    cells.insert(cells.end(), {"-", "-", "-"});
  cells.emplace_back(is_best && of.request.odf.size() > 1 ? "best" : "");
  return cells;
}

std::string points_text(const prediction& of) {
  tools::table all({"nodes", "PEs", "ODF", "time", "speedup", "program", "exposed", "devices", ""});
  for (const point& each : of.points) all.row(cells_of(of, each));
  return all.text();
}

/// A bar for each number of nodes: the speedup on a scale of doublings.
std::string bars_text(const prediction& of) {
  constexpr int columns = 5;  // a doubling
  const point* const first = first_best(of);
  std::string text = "Speedup at the best ODF, a mark each time it doubles; > is the ideal\n";
  for (const int nodes : of.request.nodes) {
    const point* const best = best_on(of, nodes);
    if (best == nullptr) continue;
    const bool grows = !of.request.at.empty();
    const double speedup = first->time / best->time * (grows ? static_cast<double>(nodes) / first->nodes : 1);
    const double ideal = static_cast<double>(nodes) / first->nodes;
    const auto length = [](double ratio) {
      return static_cast<std::size_t>(std::max(0.0, std::round(columns * std::log2(std::max(1.0, ratio)))));
    };
    std::string bar;
    for (std::size_t i = 0; i < length(speedup); ++i) bar += (i + 1) % columns == 0 ? '|' : '=';
    if (bar.size() < length(ideal)) bar.resize(length(ideal), ' ');
    text += fmt::format("{:>7} {}> {:.2f} of {:.4g}\n", nodes, bar, speedup, ideal);
  }
  return text;
}

std::string what_ifs_text(const prediction& of) {
  if (of.what_ifs.empty()) return {};
  tools::table all({"nodes", "gain", "a better machine"});
  for (const auto& [nodes, gains] : of.what_ifs) {
    for (const what_if& one : gains) all.row({std::to_string(nodes), ratio_text(one.gain), one.change});
    if (gains.empty()) all.row({std::to_string(nodes), "-", "nothing brings a hundredth"});
  }
  return "\n" + all.text();
}

std::string sweeps_text(const prediction& of) {
  if (of.sweeps.empty()) return {};
  std::vector<std::string> heading;
  for (const int nodes : of.request.nodes) heading.push_back(fmt::format("{} nodes", nodes));
  heading.emplace_back("with");
  tools::table all(heading);
  for (const sweep_row& row : of.sweeps) {
    std::vector<std::string> cells;
    for (const double time : row.times) cells.push_back(time_text(time));
    cells.push_back(row.number + " = " + row.value);
    all.row(cells);
  }
  return "\n" + all.text();
}

nlohmann::json json_of(const point& each) {
  nlohmann::json one{{"nodes", each.nodes}, {"pes", each.pes}};
  if (each.odf > 0) one["odf"] = each.odf;
  if (!each.failure.empty()) {
    one["failure"] = each.failure;
    return one;
  }
  one["time"] = each.time;
  if (!each.shares) return one;
  one["program"] = each.shares->program;
  one["exposed"] = each.shares->exposed;
  if (each.shares->device) one["devices"] = *each.shares->device;
  return one;
}

}  // namespace

std::string report_text(const prediction& of) {
  const settings& request = of.request;
  std::string text = fmt::format(
      "{} on {}, {} PEs a node; time: {}\nspeedup: speed relative to the best of the first nodes. Parts of "
      "the PEs' time in the run: in the\nprogram; with exposed communication; of the devices': in "
      "kernels\n\n",
      request.program, request.machine, request.node_pes, measured_text(request));
  text += points_text(of) + "\n" + bars_text(of) + what_ifs_text(of) + sweeps_text(of) + "\n";
  for (const std::string& sentence : advice(of)) text += sentence + "\n";
  if (of.is_out_of_time) text += "Some runs were left out, since there was no time: raise --seconds.\n";
  text += fmt::format("Predicted in {} by {} runs",
                      tools::readable_time(static_cast<double>(of.spent.count())), of.runs.executed);
  if (of.runs.evaluated > 0)
    text += fmt::format("; {} times on changed machines are evaluations of the recorded flows",
                        of.runs.evaluated);
  text += ".\n";
  return text;
}

std::string report_json(const prediction& of) {
  nlohmann::json all{{"program", of.request.program},     {"machine", of.request.machine},
                     {"node_pes", of.request.node_pes},   {"advice", advice(of)},
                     {"spent", of.spent.count()},         {"out_of_time", of.is_out_of_time},
                     {"executed", of.runs.executed},      {"evaluated", of.runs.evaluated},
                     {"points", nlohmann::json::array()}, {"what_ifs", nlohmann::json::array()},
                     {"sweeps", nlohmann::json::array()}};
  for (const point& each : of.points) all["points"].push_back(json_of(each));
  for (const auto& [nodes, gains] : of.what_ifs)
    for (const what_if& one : gains)
      all["what_ifs"].push_back(
          {{"nodes", nodes}, {"part", one.part}, {"change", one.change}, {"gain", one.gain}});
  for (const sweep_row& row : of.sweeps)
    for (std::size_t i = 0; i < row.times.size(); ++i)
      all["sweeps"].push_back({{"number", row.number},
                               {"value", row.value},
                               {"nodes", of.request.nodes[i]},
                               {"time", row.times[i] > 0 ? nlohmann::json(row.times[i]) : nlohmann::json()}});
  return all.dump(2) + "\n";
}

}  // namespace imbrex::predict
