// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <ranges>

#include <imbrex/base/options/command_words.hpp>
#include <imbrex/tools/trace/readable.hpp>
#include <imbrex/tools/tune/report.hpp>

namespace imbrex::tune {
namespace {

/// Smaller changes of a part of the time are not reported.
constexpr double least_change = 0.01;
/// The largest number of names in a list.
constexpr std::size_t most_names = 12;

struct named_part {
  const char* name;
  double value;
};

std::array<named_part, 6> parts_of(const evidence& seen) {
  return {{{"PEs in the program", seen.program},
           {"PEs in the runtime", seen.runtime},
           {"PEs idle while a message was in flight", seen.idle_message},
           {"PEs idle while a device worked for them", seen.idle_device},
           {"PEs idle for other reasons", seen.idle_other},
           {"communication that no computation covered", seen.exposed}}};
}

/// A text of the changed parts: "PEs in the program 87.0 % of the time, before 79.1 %".
std::string changes(const evidence& before, const evidence& after) {
  std::string text;
  const auto add = [&](const char* name, double was, double is) {
    if (std::abs(is - was) >= least_change)
      text += fmt::format("{}{} {}, before {}", text.empty() ? "" : "; ", name, tools::readable_part(is),
                          tools::readable_part(was));
  };
  const auto old_parts = parts_of(before);
  const auto new_parts = parts_of(after);
  for (std::size_t k = 0; k < old_parts.size(); ++k)
    add(old_parts[k].name, old_parts[k].value, new_parts[k].value);
  if (before.device && after.device) add("devices in kernels", *before.device, *after.device);
  return text;
}

std::string spread(const comparison& of, bool exact) {
  if (exact) return "exactly: here times repeat";
  return fmt::format("median of {} pairs of runs, {:.3f} to {:.3f}", of.ratios.size(), of.least_ratio(),
                     of.most_ratio());
}

std::string gain(const report& of, const comparison& shown) {
  std::string text =
      fmt::format("{} is {:.3f} times as fast as the default ({}).", of.where.name(shown.candidate),
                  shown.ratio(), spread(shown, of.found.exact));
  const observation* const before = typical(shown.of_against);
  const observation* const after = typical(shown.of_candidate);
  if (before == nullptr || after == nullptr || !before->seen || !after->seen) return text;
  const std::string changed = changes(*before->seen, *after->seen);
  if (changed.empty()) return text;
  return text +
         (of.request.phase.empty() ? " As parts of the time: " : " As parts of the whole run's time: ") +
         changed + ".";
}

std::string disappointment(const report& of, const comparison& shown) {
  if (!shown.failure.empty())
    return fmt::format("{} was faster, but then {} failed: {}. The default stays.",
                       of.where.name(shown.candidate),
                       shown.result == outcome::undecided ? "the default" : "it", shown.failure);
  std::string ratios;
  for (const double one : shown.ratios) ratios += fmt::format("{}{:.3f}", ratios.empty() ? "" : ", ", one);
  return fmt::format(
      "{} seemed faster, but fresh pairs with the default did not confirm it (ratios {}). The "
      "default stays.",
      of.where.name(shown.candidate), ratios);
}

/// A text about results that an early end has left unconfirmed.
std::string unconfirmed(const report& of) {
  if (of.found.tried.empty()) return "Nothing was compared until then.";
  if (of.found.best == of.where.by_default()) return "Until then nothing was faster than the default.";
  const comparison& shown = *std::ranges::find(of.found.tried, of.found.best, &comparison::candidate);
  return fmt::format(
      "Until then {} was {:.3f} times as fast as {} ({}), which fresh pairs have not confirmed.",
      of.where.name(shown.candidate), shown.ratio(), of.where.name(shown.against),
      spread(shown, of.found.exact));
}

std::string early_end(const search_result& found) {
  if (found.interrupted) return fmt::format("Interrupted by signal {}. ", *found.interrupted);
  return found.abort_reason.empty() ? "" : "Given up, since one run was stopped again and again. ";
}

std::string conclusion(const report& of) {
  if (of.found.confirmation && of.found.confirmation->result == outcome::better)
    return gain(of, *of.found.confirmation);
  if (of.found.confirmation) return disappointment(of, *of.found.confirmation);
  if (of.found.ended_early()) return unconfirmed(of);
  if (of.found.tried.empty() && of.found.untried.empty())
    return "There was nothing to vary. The default stays; name options with --vary.";
  if (of.found.tried.empty()) return "The time sufficed for no comparison. The default stays.";
  if (of.found.exact)
    return fmt::format("Nothing was faster than the default by more than {:.1f} %. The default stays.",
                       least_exact_gain * 100);
  return fmt::format(
      "Nothing was faster than the default in enough pairs of runs, and by more than {:.0f} %. The default "
      "stays.",
      least_gain * 100);
}

/// A note on options to leave out: an options file can add an option, but not remove one.
std::string left_out(const report& of) {
  std::string text;
  for (std::size_t k = 0; k < of.where.dimensions.size(); ++k) {
    const dimension& one = of.where.dimensions[k];
    if (one.alternatives[of.found.chosen[k]].words.empty() && !one.alternatives[0].words.empty())
      text += fmt::format(" Leave {} out: the file cannot take it back.", one.option);
  }
  return text;
}

/// A text about failed comparisons, and whether the others are still meaningful.
std::string failures(const search_result& found) {
  std::string text;
  const auto failed = std::ranges::count(found.tried, outcome::failed, &comparison::result);
  if (failed > 0)
    text += fmt::format(" {} failed.",
                        failed == 1 ? "One configuration" : fmt::format("{} configurations", failed));
  const auto first = std::ranges::find(found.tried, outcome::undecided, &comparison::result);
  if (first == found.tried.end()) return text;
  const auto undecided = std::ranges::count(found.tried, outcome::undecided, &comparison::result);
  return text + fmt::format(" In {} the default itself failed ({}), so its rivals are not judged.",
                            undecided == 1 ? "one comparison" : fmt::format("{} comparisons", undecided),
                            first->failure);
}

std::string without_a_chance(const report& of) {
  std::string names;
  for (const std::string& value : of.where.pruned) names += (names.empty() ? "--odf " : ", ") + value;
  return names.empty() ? "" : " Not tried, as the program expects them to be slow: " + names + ".";
}

std::string not_tried(const report& of) {
  if (of.found.untried.empty()) return {};
  std::string names;
  for (const configuration& one : of.found.untried | std::views::take(most_names))
    names += (names.empty() ? "" : ", ") + of.where.name(one);
  if (of.found.untried.size() > most_names)
    names += fmt::format(" and {} more", of.found.untried.size() - most_names);
  if (of.found.ended_early()) return " Not tried: " + names + ".";
  return " Not tried for lack of time: " + names + "; raise --seconds, or shorten the runs with --short.";
}

}  // namespace

std::string failure_text(const space& where, const comparison& of) {
  if (of.result != outcome::undecided) return of.failure;
  return "not decided, since " + where.name(of.against) + " failed: " + of.failure;
}

std::string measured_text(const report& of) {
  if (!of.traced) return "the time of the process";
  return of.request.phase.empty() ? "the time of the run by its trace"
                                  : "the phases '" + of.request.phase + "'";
}

std::string findings_text(const report& of) {
  return early_end(of.found) + conclusion(of) + left_out(of) + failures(of.found) + not_tried(of) +
         without_a_chance(of);
}

bool writes_file(const report& of) {
  return !of.found.ended_early() || of.found.chosen != of.where.by_default();
}

bool file_says_processes(const report& of) {
  return of.request.processes_by_file || of.where.processes_of(of.found.chosen) != of.where.processes;
}

std::string chosen_command(const report& of) {
  const int processes = of.where.processes_of(of.found.chosen);
  const bool job = processes > 1;
  const bool by_file = of.traced && of.written;
  const bool file_says = job && by_file && file_says_processes(of);
  std::vector<std::string> words;
  if (file_says)
    words = {"imbrex", "run", "--options", of.request.output};
  else if (job)
    words = {"imbrex", "run", "-n", std::to_string(processes)};
  words.push_back(of.request.program);
  arguments program_arguments = of.where.rest;
  if (!by_file)
    program_arguments = with_options(program_arguments, of.where.words(of.found.chosen));
  else if (!file_says)
    program_arguments = with_options(program_arguments, {"--options", of.request.output});
  words.insert(words.end(), program_arguments.begin(), program_arguments.end());
  return command_line_of(words);
}

}  // namespace imbrex::tune
