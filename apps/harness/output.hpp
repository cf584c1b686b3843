// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "apps/harness/check.hpp"

namespace harness {

/// The file that `--json` names, to write to; closed if the name is empty. Throws imbrex::usage_error if it
/// cannot be written.
std::ofstream open_json(const std::string& name);

/// Adds a line to that file, if it is open. Throws imbrex::error if it cannot be written.
void write_json(std::ofstream& file, const std::string& name, const std::string& line);

/// Writes to the standard output, at once. Throws imbrex::error if that cannot be.
void write_output(const std::string& text);

/// What `--check` found of one configuration.
struct checked {
  std::string configuration;  ///< "ODF 4"
  const comparison* found;
};

/// One line if all are equal, for the standard output. Each that differs has a line of its own, which goes to
/// the error output at once; then none.
std::string check_line(const std::vector<checked>& all);

}  // namespace harness
