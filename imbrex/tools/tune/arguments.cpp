// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/arguments.hpp>

#include <algorithm>
#include <cstddef>

namespace imbrex::tune {
namespace {

arguments::const_iterator end_of_options(const arguments& words) {
  return std::find(words.begin(), words.end(), "--");
}

bool names(const std::string& word, std::string_view option) {
  return word == option ||
         (word.size() > option.size() && word.starts_with(option) && word[option.size()] == '=');
}

/// True for an option. Negative numbers such as -3 or -.5 are values.
bool is_option(const std::string& word) {
  const std::size_t digit = word.starts_with("-.") ? 2 : 1;
  return word.size() > 1 && word[0] == '-' &&
         (digit >= word.size() || word[digit] < '0' || word[digit] > '9');
}

/// True if the next word is the value of the option at `at`.
bool has_value_behind(arguments::const_iterator at, arguments::const_iterator end) {
  return at->find('=') == std::string::npos && at + 1 != end && !is_option(at[1]);
}

}  // namespace

options_file with_files_read(const arguments& words) {
  constexpr std::string_view option = "--options";
  options_file all;
  const auto end = end_of_options(words);
  auto at = words.begin();
  for (; at != end; ++at) {
    const bool stands_behind = *at == option && at + 1 != end;
    if (!names(*at, option) || (*at == option && !stands_behind)) {
      all.words.push_back(*at);
      continue;
    }
    const options_file read = read_options_file(stands_behind ? *++at : at->substr(option.size() + 1));
    all.words.insert(all.words.end(), read.words.begin(), read.words.end());
    if (read.processes != 0) all.processes = read.processes;
  }
  all.words.insert(all.words.end(), at, words.end());
  return all;
}

arguments words_of_program(const std::string& program, const arguments& words) {
  constexpr std::string_view interpreter = "python";
  const std::string name = program.substr(program.rfind('/') + 1);
  if (!name.starts_with(interpreter)) return {};
  const auto is_of_interpreter = [](const std::string& word) { return word.starts_with('-'); };
  auto at = std::find_if_not(words.begin(), words.end(), is_of_interpreter);
  while (at != words.end() && at != words.begin() &&
         (at[-1] == "-W" || at[-1] == "-X"))  // options that take a value
    at = std::find_if_not(at + 1, words.end(), is_of_interpreter);
  return at == words.end() ? arguments() : arguments(words.begin(), at + 1);
}

std::optional<std::string> value_of(const arguments& words, std::string_view option) {
  std::optional<std::string> value;
  const auto end = end_of_options(words);
  for (auto at = words.begin(); at != end; ++at) {
    if (!names(*at, option)) continue;
    if (at->size() > option.size())
      value = at->substr(option.size() + 1);
    else if (has_value_behind(at, end))
      value = *++at;
  }
  return value;
}

bool has_option(const arguments& words, std::string_view option) {
  return std::any_of(words.begin(), end_of_options(words),
                     [&](const std::string& word) { return names(word, option); });
}

arguments without_option(const arguments& words, std::string_view option, bool takes_value) {
  arguments rest;
  const auto end = end_of_options(words);
  auto at = words.begin();
  for (; at != end; ++at) {
    if (!names(*at, option))
      rest.push_back(*at);
    else if (takes_value && has_value_behind(at, end))
      ++at;
  }
  rest.insert(rest.end(), at, words.end());
  return rest;
}

arguments with_options(const arguments& words, const arguments& more) {
  arguments all(words.begin(), end_of_options(words));
  all.insert(all.end(), more.begin(), more.end());
  all.insert(all.end(), end_of_options(words), words.end());
  return all;
}

arguments with_replaced(const arguments& words, const arguments& options) {
  arguments all = words;
  for (auto at = options.begin(); at != options.end(); ++at) {
    if (!is_option(*at)) continue;
    const bool has_value = at->find('=') != std::string::npos || has_value_behind(at, options.end());
    all = without_option(all, at->substr(0, at->find('=')), has_value);
  }
  return with_options(all, options);
}

}  // namespace imbrex::tune
