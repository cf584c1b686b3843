// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/balance/report.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <imbrex/base/options/help_text.hpp>
#include <imbrex/tools/overlap/panel.hpp>
#include <imbrex/tools/overlap/svg.hpp>
#include <imbrex/tools/trace/page/page_files.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/trace/table.hpp>

namespace imbrex::tools::balance {
namespace {

using row = std::vector<std::string>;

constexpr double page_width = 900;
constexpr double panel_height = 360;

std::string count_of(std::uint64_t number, const std::string& what) {
  return readable_count(number) + " " + what + (number == 1 ? "" : "s");
}

std::string about(const replayed_record& results) {
  return fmt::format("{} for {} on {} of {}, recorded with {}", count_of(results.decisions, "decision"),
                     count_of(results.objects, "object"),
                     count_of(static_cast<std::uint64_t>(results.pes), "PE"),
                     count_of(static_cast<std::uint64_t>(results.nodes), "node"), results.recorded_with);
}

std::string sent(const replayed_record& results) {
  if (results.sent_messages <= 0) return {};
  const auto messages = static_cast<std::uint64_t>(std::llround(results.sent_messages));
  return fmt::format("In a period the objects send {} of {} in all. ", count_of(messages, "message"),
                     readable_bytes(results.sent_bytes));
}

std::string meaning(const replayed_record& results) {
  std::string text =
      sent(results) +
      "Each strategy decides on a period, and is judged by the loads of the next one. max/avg: the busiest "
      "PE's load over the average.";
  if (results.edges == cut_edges::recorded)
    text += " cut: the share of the bytes of messages that go between PEs.";
  if (results.edges == cut_edges::neighbours)
    text += " cut: the share of the pairs of elements with neighbouring indices that are on two PEs.";
  return text;
}

row heading(const replayed_record& results) {
  row cells{"max/avg", "worst", "moved"};
  if (results.edges != cut_edges::none) cells.emplace_back("cut");
  if (results.edges != cut_edges::none && results.nodes > 1) cells.emplace_back("node cut");
  cells.insert(cells.end(), {"time to solve", "strategy"});
  return cells;
}

row cells_of(const replayed_record& results, const strategy_results& one) {
  row cells{fmt::format("{:.3f}", one.mean()), fmt::format("{:.3f}", one.worst()), readable_part(one.moved)};
  if (results.edges != cut_edges::none) cells.push_back(readable_part(one.cut));
  if (results.edges != cut_edges::none && results.nodes > 1) cells.push_back(readable_part(one.node_cut));
  cells.push_back(fmt::format("{:.3f} ms", one.seconds * 1e3));
  cells.push_back(one.name);
  return cells;
}

std::string html_row(const row& cells, const std::string& tag) {
  std::string all = "<tr>";
  for (const std::string& cell : cells) all += "<" + tag + ">" + overlap::xml_text(cell) + "</" + tag + ">";
  return all + "</tr>\n";
}

/// Lines of max/avg over the periods.
std::string picture(const replayed_record& results) {
  std::vector<overlap::legend_entry> legend;
  double highest = 1;
  for (std::size_t i = 0; i < results.strategies.size(); ++i) {
    legend.push_back({results.strategies[i].name, overlap::stroke_of(i, 2)});
    highest = std::max(highest, results.strategies[i].worst());
  }
  const double head = 20 + overlap::legend_height(page_width - 36, legend);
  overlap::drawing canvas(page_width, head + panel_height);
  overlap::draw_legend(canvas, {18, 20}, page_width - 36, legend);
  overlap::panel lines(canvas, {0, head}, page_width, panel_height, "busiest PE over the average",
                       overlap::linear_axis("decision", 1, static_cast<double>(results.decisions)),
                       overlap::linear_axis("max/avg", 1, highest));
  for (std::size_t i = 0; i < results.strategies.size(); ++i) {
    std::vector<overlap::point> values;
    for (const double value : results.strategies[i].imbalance)
      values.push_back({static_cast<double>(values.size() + 1), value});
    lines.curve(values, overlap::stroke_of(i, 2));
  }
  return canvas.svg();
}

}  // namespace

std::string report_text(const std::string& file, const replayed_record& results) {
  table rows(heading(results));
  for (const strategy_results& each : results.strategies) rows.row(cells_of(results, each));
  return file + ": " + about(results) + "\n" + wrapped(meaning(results)) + "\n\n" + rows.text();
}

std::string report_page(const std::string& file, const replayed_record& results) {
  std::string rows = html_row(heading(results), "th");
  for (const strategy_results& each : results.strategies) rows += html_row(cells_of(results, each), "td");
  const std::string name = overlap::xml_text(file);
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Imbrex balance: " +
         name + "</title>\n<style>" + std::string(page_files::style) +
         "</style>\n</head>\n<body>\n<header>\n<h1>Imbrex balance <span>" + name + "</span></h1>\n<p>" +
         overlap::xml_text(about(results)) + "</p>\n<p>" + overlap::xml_text(meaning(results)) +
         "</p>\n</header>\n<main>\n" + picture(results) + "<table>\n" + rows +
         "</table>\n</main>\n</body>\n</html>\n";
}

}  // namespace imbrex::tools::balance
