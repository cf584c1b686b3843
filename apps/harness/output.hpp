// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "apps/harness/check.hpp"

namespace harness {

/// Opens the file named by `--json` for writing; not open if the name is empty. Throws imbrex::usage_error if
/// it cannot be written.
std::ofstream open_json(const std::string& name);

/// Appends a line to the file, if it is open. Throws imbrex::error if it cannot be written.
void write_json(std::ofstream& file, const std::string& name, const std::string& line);

/// Writes to the standard output and flushes it. Throws imbrex::error if that fails.
void write_output(const std::string& text);

/// The `--check` result of one configuration.
struct checked {
  std::string configuration;  ///< "ODF 4"
  const comparison* found;
};

/// A line for the standard output if all are equal. If some differ, prints a line for each to standard error
/// at once, and returns "".
std::string check_line(const std::vector<checked>& all);

}  // namespace harness
