// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/tools/tune/report.hpp>

namespace imbrex::tune {
namespace {

/// Formats `text`, of one or more lines, as a comment of an options file.
std::string comment(const std::string& text) {
  std::string lines = "# ";
  for (const char c : text) lines += c == '\n' ? std::string("\n# ") : std::string(1, c);
  return lines + "\n";
}

std::string command_as_it_was(const settings& request) {
  std::vector<std::string> words{request.program};
  words.insert(words.end(), request.program_arguments.begin(), request.program_arguments.end());
  return (request.processes > 1 ? "imbrex run -n " + std::to_string(request.processes) + " " : "") +
         command_line_of(words);
}

}  // namespace

std::string options_text(const report& of) {
  std::string text = comment("Written by imbrex tune on " + of.host + ", " + of.date + ".") +
                     comment("Tuned: " + command_as_it_was(of.request));
  if (!of.request.brief.empty()) text += comment("In trials with: " + command_line_of(of.request.brief));
  text += comment("Measured: " + measured_text(of) + ".") + comment(findings_text(of)) +
          comment("Run it by: " + chosen_command(of));
  if (file_says_processes(of)) text += "-n " + std::to_string(of.where.processes_of(of.found.chosen)) + "\n";
  for (std::size_t k = 0; k < of.where.dimensions.size(); ++k) {
    const arguments& words = of.where.dimensions[k].alternatives[of.found.chosen[k]].words;
    if (!words.empty()) text += command_line_of(words) + "\n";
  }
  return text;
}

}  // namespace imbrex::tune
