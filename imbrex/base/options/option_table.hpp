// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/base/options/command_line.hpp>

namespace imbrex {

/// An option that sets fields of `Settings`. A layer defines a table of its own: a function `template <class
/// Settings> std::vector<option<Settings>> network_options()`. `Settings` has the fields that the layer sets.
template <class Settings>
struct option {
  option_words words;
  /// Sets the field. Throws usage_error for an invalid value.
  void (*set)(Settings&, const parsed_option&);
  /// Throws usage_error for an invalid value that a program has set without the command line.
  void (*check)(const Settings&) = nullptr;
  /// Called if the option is given, once all others are set: throws usage_error for options that exclude each
  /// other.
  void (*validate)(const Settings&, const parsed_option&) = nullptr;
};

/// The options of all layers.
template <class Settings>
class option_table {
 public:
  /// Adds the options of a layer.
  option_table& add(const std::vector<option<Settings>>& layer) {
    options_.insert(options_.end(), layer.begin(), layer.end());
    for (const auto& added : layer) words_.push_back(added.words);
    return *this;
  }

  /// Sets the fields for the options on the command line, and removes these options. Before that it sets the
  /// fields for the options in a variable of the environment. All of these must be in the table. A null
  /// `variable` has none. Returns the number of processes in an options file, 0 if none has it. Throws
  /// usage_error, with argc and argv unchanged. The text names the variable if the error is there.
  int parse(Settings& settings, int& argc, char**& argv, const char* variable = nullptr) const {
    environment_line environment(variable);
    std::optional<command_line> before;
    parsed_options environment_input;
    environment.naming([&] {
      before.emplace(environment.count(), environment.words(), [this] { return help(); });
      environment_input = set(settings, *before);
      before->refuse_rest(names());
    });
    command_line line(argc, argv, [this] { return help(); });
    const parsed_options input = set(settings, line);
    environment.naming([&] { check_together(settings, environment_input); });
    check_together(settings, input);
    const int processes = line.processes() != 0 ? line.processes() : before->processes();
    std::move(line).give_rest(argc, argv);
    return processes;
  }

  /// Throws usage_error for values of fields that no option gives.
  void check(const Settings& settings) const {
    for (const auto& each : options_)
      if (each.check != nullptr) each.check(settings);
  }

  /// The help of all options.
  std::string help() const {
    std::string text = "Options of the runtime:\n";
    for (const auto& words : words_) text += help_of(words);
    return text + help_of(options_file_option());
  }

  /// The words of each option, in the order of the help, without `options_file_option`.
  const std::vector<option_words>& words() const { return words_; }

  std::vector<std::string_view> names() const {
    std::vector<std::string_view> all;
    for (const auto& words : words_) all.push_back(words.name);
    all.push_back(options_file_option().name);
    return all;
  }

 private:
  using parsed_options = std::vector<std::pair<std::size_t, parsed_option>>;  // with their indices in
                                                                              // `options_`

  parsed_options set(Settings& settings, command_line& line) const {
    parsed_options all;
    line.take(words_, [&](std::size_t place, const parsed_option& input) {
      options_[place].set(settings, input);
      all.emplace_back(place, input);
    });
    return all;
  }
  void check_together(const Settings& settings, const parsed_options& all) const {
    for (const auto& [place, input] : all)
      if (options_[place].validate != nullptr) options_[place].validate(settings, input);
  }

  std::vector<option<Settings>> options_;
  std::vector<option_words> words_;  ///< words of `options_`
};

}  // namespace imbrex
