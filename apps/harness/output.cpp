// SPDX-License-Identifier: Apache-2.0
#include "apps/harness/output.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <imbrex/error.hpp>

namespace harness {

std::ofstream open_json(const std::string& name) {
  std::ofstream file;
  if (name.empty()) return file;
  file.open(name);
  if (!file)
    throw imbrex::usage_error(fmt::format("--json '{}': the file cannot be written: {}; choose another file",
                                          name, std::strerror(errno)));
  return file;
}

void write_json(std::ofstream& file, const std::string& name, const std::string& line) {
  if (file.is_open() && !(file << line << std::endl))
    throw imbrex::error(fmt::format("{} cannot be written: {}", name, std::strerror(errno)));
}

void write_output(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw imbrex::error(std::string("the standard output cannot be written: ") + std::strerror(errno));
}

std::string check_line(const std::vector<checked>& all) {
  bool equal = true;
  for (const auto& each : all) {
    if (each.found->equal()) continue;
    fmt::print(stderr, "check: {}: {}\n", each.configuration, each.found->text());
    equal = false;
  }
  return equal ? fmt::format("check: {}\n", all.front().found->text()) : "";
}

}  // namespace harness
