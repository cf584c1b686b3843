// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/job_environment.hpp>

#include <algorithm>
#include <cstdlib>

#include <imbrex/base/error.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::tools {

namespace {

auto find(auto& variables, const std::string& name) {
  return std::ranges::find(variables, name, [](const auto& each) { return each.first; });
}

void require_name(const char* option, const std::string& name, const std::string& text) {
  if (name.empty())
    throw usage_error(std::string(option) + " '" + printable(text) +
                      "': the name of the variable is missing; write " + option + " NAME" +
                      (std::string(option) == "-x" ? "=VALUE" : " VALUE"));
  if (name.find('=') != std::string::npos)
    throw usage_error(std::string(option) + " " + printable(name) +
                      ": the name of a variable has no '='; write " + option + " NAME VALUE");
}

}  // namespace

void set_variable(environment_variables& to, const std::string& name, const std::string& value) {
  if (const auto there = find(to, name); there != to.end())
    there->second = value;
  else
    to.emplace_back(name, value);
}

std::string variable_of_programs(const environment_variables& added, const std::string& name) {
  if (const auto there = find(added, name); there != added.end()) return there->second;
  const char* const inherited = std::getenv(name.c_str());
  return inherited == nullptr ? "" : inherited;
}

void add_written_variable(environment_variables& to, const char* option, const std::string& text) {
  const std::size_t end = std::min(text.find('='), text.size());
  const std::string name = text.substr(0, end);
  require_name(option, name, text);
  if (end < text.size()) set_variable(to, name, text.substr(end + 1));
}

void add_written_variable(environment_variables& to, const char* option, const std::string& name,
                          const std::string& value) {
  require_name(option, name, name);
  set_variable(to, name, value);
}

}  // namespace imbrex::tools
