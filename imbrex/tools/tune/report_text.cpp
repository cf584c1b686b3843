// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <imbrex/base/command_words.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/trace/table.hpp>
#include <imbrex/tools/tune/report.hpp>

namespace imbrex::tune {
namespace {

std::string time_of(const std::vector<observation>& runs) {
  const observation* const shown = typical(runs);
  return shown == nullptr ? "-" : tools::readable_time(static_cast<double>(shown->time.count()));
}

/// What the trace of a run says: program, exposed, and idle for a message, a device and other reasons.
std::vector<std::string> evidence_cells(const std::vector<observation>& runs) {
  const observation* const shown = typical(runs);
  if (shown == nullptr || !shown->seen) return {"-", "-", "-", "-", "-"};
  const evidence& seen = *shown->seen;
  return {tools::readable_part(seen.program), tools::readable_part(seen.exposed),
          tools::readable_part(seen.idle_message), tools::readable_part(seen.idle_device),
          tools::readable_part(seen.idle_other)};
}

std::string what(const report& of, const comparison& one) {
  std::string text = of.where.name(one.candidate);
  if (one.against != of.where.by_default()) text += ", beside " + of.where.name(one.against);
  if (one.result == outcome::better) text += ": better";
  if (one.result == outcome::failed) text += ": " + one.failure;
  return text;
}

void add_row(tools::table& to, const report& of, const comparison& one) {
  const auto ratio = [&](double value) { return one.ratios.empty() ? "-" : fmt::format("{:.3f}", value); };
  std::vector<std::string> cells{time_of(one.of_candidate), ratio(one.ratio()), ratio(one.least_ratio()),
                                 ratio(one.most_ratio()), std::to_string(one.ratios.size())};
  for (std::string& cell : evidence_cells(one.of_candidate)) cells.push_back(std::move(cell));
  cells.push_back(what(of, one));
  to.row(std::move(cells));
}

std::string trials(const report& of) {
  tools::table all({"time", "ratio", "least", "most", "pairs", "program", "exposed", "message", "device",
                    "other", "options"});
  std::vector<std::string> first{time_of(of.found.first_runs), "-", "-", "-", "-"};
  for (std::string& cell : evidence_cells(of.found.first_runs)) first.push_back(std::move(cell));
  first.push_back("default");
  all.row(std::move(first));
  for (const comparison& one : of.found.tried) add_row(all, of, one);
  if (of.found.confirmation) add_row(all, of, *of.found.confirmation);
  return all.text();
}

std::string varied(const report& of) {
  std::string text;
  for (const dimension& one : of.where.dimensions) {
    text += "  " + one.option + ":";
    for (const alternative& value : one.alternatives) {
      arguments words = value.words;
      if (value.processes != 0) words.insert(words.begin(), {"-n", std::to_string(value.processes)});
      text += (&value == one.alternatives.data() ? " " : ", ") +
              (words.empty() ? "not given" : command_line_of(words));
    }
    text += "\n";
  }
  return text.empty() ? "  nothing\n" : text;
}

}  // namespace

std::string report_text(const report& of) {
  return "Varied; the default comes first\n" + varied(of) +
         fmt::format(
             "\nTrials, {} in all; time: {}; ratio: how many times as fast, in pairs with the\n"
             "default, or with what the row names; parts of the PEs' time: in the program; exposed "
             "communication;\n"
             "idle with a message on its way, with a device at work, for other reasons\n",
             tools::readable_time(static_cast<double>(of.found.spent.count())), measured_text(of)) +
         trials(of) + "\n" + findings_text(of) + "\n\n" + of.asked.output +
         " is written. Run with it by\n  " + command_with_file(of) + "\n";
}

}  // namespace imbrex::tune
