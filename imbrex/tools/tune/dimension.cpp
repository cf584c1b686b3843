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
alternative as_given(const arguments& from, const std::string& option, const std::string& value) {
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
    if (const int said = dimensions[k].alternatives[at[k]].processes; said != 0) number = said;
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
  dimension made{option, {}};
  const bool takes_value = !values.empty();
  const auto given = value_of(from, option);
  if (given) check_line(option, *given);
  for (const std::string& value : values) check_line(option, value);
  if (takes_value && given)
    add(made, as_given(from, option, *given));
  else if (!takes_value && has_option(from, option))
    add(made, {{option}});
  else
    add(made, {});
  from = without_option(from, option, takes_value);
  for (const std::string& value : values)
    if (value != given) add(made, {{option, value}});
  if (!takes_value) {
    add(made, {});
    add(made, {{option}});
  }
  return made;
}

dimension take_processes(arguments& from, int processes, std::int64_t all_pes, const std::vector<int>& among,
                         bool one_pe_a_process) {
  const auto given = value_of(from, "--pes");
  dimension made{"-n", {}};
  add(made, {given ? arguments{"--pes", *given} : arguments{}});
  from = without_option(from, "--pes", true);
  for (const int number : among) {
    if (all_pes % number != 0)
      throw usage_error("--processes " + std::to_string(number) + ": " + std::to_string(all_pes) +
                        " PEs cannot be divided among so many processes; give numbers that divide " +
                        std::to_string(all_pes) + ", or another --pes");
    const std::string pes = std::to_string(all_pes / number);
    if (number != processes)
      add(made, {one_pe_a_process ? made.alternatives[0].words : arguments{"--pes", pes}, number});
  }
  return made;
}

}  // namespace imbrex::tune
