// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/tools/tune/command.hpp>
#include <imbrex/tools/tune/search.hpp>

namespace imbrex::tune {

/// What is told when a program has been tuned.
struct report {
  settings asked{};
  space where{};
  search_result found{};
  bool traced = false;   ///< times are from traces
  bool written = false;  ///< there is a file that holds what was chosen
  std::string host{};
  std::string date{};
};

/// What was tried, what was found, and how to run the program with it.
std::string report_text(const report& of);

/// The same as one object.
std::string report_json(const report& of);

/// There is a file to write. An early end that came before anything was confirmed leaves what may be there as
/// it is.
bool writes_file(const report& of);

/// The file says how many processes the job has: others than the default, or as the file did that was read.
bool file_says_processes(const report& of);

/// The file for `--options`, with the evidence as comments.
std::string options_text(const report& of);

/// What was found, in sentences.
std::string findings_text(const report& of);

/// Why a comparison has ended by a failure: that of the candidate, or of what it was compared with.
std::string failure_text(const space& where, const comparison& of);

/// What the times are of: "the phases iterations".
std::string measured_text(const report& of);

/// The command line that runs the program with what was chosen: by the file, if there is one and it takes
/// --options.
std::string chosen_command(const report& of);

}  // namespace imbrex::tune
