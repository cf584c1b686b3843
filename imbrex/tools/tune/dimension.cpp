// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/dimension.hpp>

#include <algorithm>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command_words.hpp>

namespace imbrex::tune {
namespace {

void add(dimension& to, alternative one) {
  if (std::ranges::find(to.alternatives, one) == to.alternatives.end())
    to.alternatives.push_back(std::move(one));
}

/// The option in the form that the arguments use: --name=-x differs from --name -x.
alternative original_form(const arguments& from, const std::string& option, const std::string& value) {
  const std::string one_word = option + "=" + value;
  if (std::ranges::find(from, one_word) != from.end()) return {{one_word}};
  return {{option, value}};
}

/// Refuses values that an options file cannot hold; it has one option a line.
void check_line(const std::string& option, const std::string& value) {
  if (value.find('\n') != std::string::npos)
    throw usage_error(option +
                      " has a value of several lines, which no options file can hold; it cannot be varied");
  if (value == "--")
    throw usage_error(option + " --: nothing behind -- is an option, so it is no value; leave it out");
}

}  // namespace

arguments space::words(const configuration& at) const {
  arguments all;
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    const auto& words = dimensions[k].alternatives[at[k]].words;
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

int space::processes_of(const configuration& at) const {
  int number = processes;
  for (std::size_t k = 0; k < dimensions.size(); ++k)
    if (const int count = dimensions[k].alternatives[at[k]].processes; count != 0) number = count;
  return number;
}

std::string space::name(const configuration& at) const {
  arguments differ;
  for (std::size_t k = 0; k < dimensions.size(); ++k) {
    if (at[k] == 0) continue;
    const alternative& one = dimensions[k].alternatives[at[k]];
    if (one.processes != 0) differ.insert(differ.end(), {"-n", std::to_string(one.processes)});
    differ.insert(differ.end(), one.words.begin(), one.words.end());
    if (one.words.empty() && one.processes == 0) differ.insert(differ.end(), {"no", dimensions[k].option});
  }
  return differ.empty() ? "default" : command_line_of(differ);
}

dimension take_dimension(arguments& from, const std::string& option, const std::vector<std::string>& values) {
  dimension result{option, {}};
  const bool takes_value = !values.empty();
  const auto current_value = value_of(from, option);
  if (current_value) check_line(option, *current_value);
  for (const std::string& value : values) check_line(option, value);
  if (takes_value && current_value)
    add(result, original_form(from, option, *current_value));
  else if (!takes_value && has_option(from, option))
    add(result, {{option}});
  else
    add(result, {});
  from = without_option(from, option, takes_value);
  for (const std::string& value : values)
    if (value != current_value) add(result, {{option, value}});
  if (!takes_value) {
    add(result, {});
    add(result, {{option}});
  }
  return result;
}

dimension take_processes(arguments& from, int processes, std::int64_t all_pes, const std::vector<int>& among,
                         bool one_pe_a_process) {
  const auto current_value = value_of(from, "--pes");
  dimension result{"-n", {}};
  add(result, {current_value ? arguments{"--pes", *current_value} : arguments{}});
  from = without_option(from, "--pes", true);
  for (const int number : among) {
    if (all_pes % number != 0)
      throw usage_error("--processes " + std::to_string(number) + ": " + std::to_string(all_pes) +
                        " PEs cannot be divided among them; give numbers that divide " +
                        std::to_string(all_pes) + ", or another --pes");
    const std::string pes = std::to_string(all_pes / number);
    if (number != processes)
      add(result, {one_pe_a_process ? result.alternatives[0].words : arguments{"--pes", pes}, number});
  }
  return result;
}

}  // namespace imbrex::tune
