// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/tools/tune/command.hpp>
#include <imbrex/tools/tune/search.hpp>

namespace imbrex::tune {

/// The results of tuning a program.
struct report {
  settings request{};
  space where{};
  search_result found{};
  bool traced = false;   ///< times are from traces
  bool written = false;  ///< the options file was written
  std::string host{};
  std::string date{};
};

/// The trials, the findings, and the command that uses them, as text.
std::string report_text(const report& of);

/// The report as a JSON object.
std::string report_json(const report& of);

/// True if the result is to be written. After an early end without a confirmation an existing file stays
/// unchanged.
bool writes_file(const report& of);

/// True if the file sets the number of processes: one other than the default, or because the options file
/// that was read did.
bool file_says_processes(const report& of);

/// The text of the file for `--options`, with the evidence as comments.
std::string options_text(const report& of);

/// The findings, in sentences.
std::string findings_text(const report& of);

/// The reason of a failed comparison: of the candidate's failure, or of the other configuration's.
std::string failure_text(const space& where, const comparison& of);

/// A description of the measured times: "the phases iterations".
std::string measured_text(const report& of);

/// The command line that runs the program with the chosen options; it uses the file if there is one and the
/// program accepts --options.
std::string chosen_command(const report& of);

}  // namespace imbrex::tune
