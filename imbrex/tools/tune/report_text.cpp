// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <imbrex/base/options/command_words.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/trace/table.hpp>
#include <imbrex/tools/tune/report.hpp>

namespace imbrex::tune {
namespace {

std::string time_of(const std::vector<observation>& runs) {
  const observation* const shown = typical(runs);
  return shown == nullptr ? "-" : tools::readable_time(static_cast<double>(shown->time.count()));
}

/// Fractions by the trace: program, exposed, idle for a message, for a device, and for other reasons.
std::vector<std::string> evidence_cells(const std::vector<observation>& runs) {
  const observation* const shown = typical(runs);
  if (shown == nullptr || !shown->seen) return {"-", "-", "-", "-", "-"};
  const evidence& seen = *shown->seen;
  return {tools::readable_part(seen.program), tools::readable_part(seen.exposed),
          tools::readable_part(seen.idle_message), tools::readable_part(seen.idle_device),
          tools::readable_part(seen.idle_other)};
}

/// Joins cells; the evidence's columns exist only if runs are traced.
std::vector<std::string> joined(const report& of, std::vector<std::string> cells,
                                const std::vector<std::string>& seen, const std::string& what) {
  if (of.traced) cells.insert(cells.end(), seen.begin(), seen.end());
  cells.push_back(what);
  return cells;
}

std::string verdict(const space& where, const comparison& one, bool confirms) {
  if (!one.failure.empty()) return ": " + failure_text(where, one);
  if (confirms) return one.result == outcome::better ? ": confirmed" : ": not confirmed";
  return one.result == outcome::better ? ": better" : "";
}

void add_row(tools::table& to, const report& of, const comparison& one, bool confirms) {
  const auto ratio = [&](double value) { return one.ratios.empty() ? "-" : fmt::format("{:.3f}", value); };
  const bool beside_default = one.against == of.where.by_default();
  to.row(joined(of,
                {time_of(one.of_candidate), ratio(one.ratio()), ratio(one.least_ratio()),
                 ratio(one.most_ratio()), std::to_string(one.ratios.size())},
                evidence_cells(one.of_candidate),
                of.where.name(one.candidate) +
                    (beside_default ? "" : ", beside " + of.where.name(one.against)) +
                    verdict(of.where, one, confirms)));
}

std::string trials(const report& of) {
  tools::table all(joined(of, {"time", "ratio", "least", "most", "pairs"},
                          {"program", "exposed", "message", "device", "other"}, "options"));
  const search_result& found = of.found;
  all.row(joined(of, {time_of(found.first_runs), "-", "-", "-", "-"}, evidence_cells(found.first_runs),
                 "default"));
  for (const comparison& one : found.tried) add_row(all, of, one, false);
  if (found.confirmation) add_row(all, of, *found.confirmation, true);
  return all.text();
}

std::string legend(const report& of) {
  return fmt::format(
      "\nTrials, {} in all. Time: {}; ratio: speed relative to the default, or to the rival\n"
      "named beside it, in pairs of runs\n{}",
      tools::readable_time(static_cast<double>(of.found.spent.count())), measured_text(of),
      of.traced
          ? "Parts of the PEs' time in the whole run: in the program; with exposed communication; idle\n"
            "with a message in flight, with a device at work, for other reasons\n"
          : "");
}

std::string what_to_do(const report& of) {
  if (!of.written)
    return of.request.output + " is not written. What was chosen is run by\n  " + chosen_command(of) + "\n";
  if (!of.traced)
    return of.request.output + " is written, but the program seems not to take --options. Run it by\n  " +
           chosen_command(of) + "\n";
  return of.request.output + " is written. Run with it by\n  " + chosen_command(of) + "\n";
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
    text += one.for_jobs ? " (tried where there are several processes)\n" : "\n";
  }
  if (text.empty()) text = "  nothing\n";
  if (!of.where.processes_stay.empty())
    text += "Not varied: processes, since " + of.where.processes_stay + "\n";
  return text;
}

}  // namespace

std::string report_text(const report& of) {
  return "Varied; the default comes first\n" + varied(of) + legend(of) + trials(of) + "\n" +
         findings_text(of) + "\n\n" + what_to_do(of);
}

}  // namespace imbrex::tune
