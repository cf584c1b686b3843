// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/command_line.hpp>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/options/help_text.hpp>
#include <imbrex/base/options/nearest.hpp>
#include <imbrex/base/options/options_file.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex {
namespace {

/// An argument split at its first '='.
struct argument {
  explicit argument(std::string_view whole) {
    const std::size_t equals = whole.find('=');
    name = whole.substr(0, equals);
    if (equals != std::string_view::npos) value = whole.substr(equals + 1);
  }
  bool ends_options() const { return name == "--" && !value; }

  std::string_view name;
  std::optional<std::string_view> value;
};

std::string_view without_dashes(std::string_view name) {
  return name.substr(std::min(name.size(), name.find_first_not_of('-')));
}

bool nearly(std::string_view input, std::string_view known) {
  const std::string_view letters = without_dashes(known);
  const std::string_view input_letters = without_dashes(input);
  if (input_letters.empty() || input_letters.front() != letters.front()) return false;
  constexpr std::size_t long_name = 6;
  return input != known && edit_distance(input, known) <= (letters.size() >= long_name ? 2 : 1);
}

/// The new argv and its strings, after options files have made it longer.
struct longer_line {
  std::deque<std::string> added;
  std::vector<char*> words;
};

/// Keeps a command line until the program ends, since the program may use the main function's arguments as
/// long.
char** keep(longer_line line) {
  static std::mutex lock;
  static std::deque<longer_line> kept;
  const std::lock_guard guard(lock);
  return kept.emplace_back(std::move(line)).words.data();
}

}  // namespace

std::string text_of(const parsed_option& input) {
  return std::string(input.name) + (input.value.empty() ? "" : " ") + std::string(input.value);
}

const option_words& options_file_option() {
  static const option_words words{
      "--options", "FILE", "insert the options in this file here, one on each line; # begins a comment"};
  return words;
}

std::string help_of(const option_words& option) {
  constexpr std::size_t column = 23;
  std::string text = "  " + std::string(option.name);
  if (!option.value.empty()) text += " " + std::string(option.value);
  text += text.size() < column ? std::string(column - text.size(), ' ') : "  ";
  return text + wrapped(option.help, text.size(), column) + "\n";
}

command_line::command_line(int argc, char** argv, std::function<std::string()> help)
    : help_(std::move(help)) {
  read_files(std::span(argv, static_cast<std::size_t>(argc)));
}

void command_line::read_files(std::span<char* const> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const argument input(words[i]);
    if (i > 0 && input.ends_options()) {
      words_.insert(words_.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      return;
    }
    if (i == 0 || input.name != options_file_option().name) {
      words_.push_back(words[i]);
      continue;
    }
    options_file read =
        read_options_file(std::string(input.value ? *input.value : value_of(input.name, words, i)));
    if (read.processes != 0) processes_ = read.processes;
    for (std::string& word : read.words) words_.push_back(added_.emplace_back(std::move(word)).data());
  }
}

/// The next argument; advances `at` to it.
std::string_view command_line::value_of(std::string_view name, std::span<char* const> words,
                                        std::size_t& at) const {
  const bool follows = at + 1 < words.size() && !std::string_view(words[at + 1]).starts_with("--");
  if (!follows) throw usage_error(printable(name) + " needs a value\n" + help_());
  return words[++at];
}

void command_line::take(std::span<const option_words> known,
                        const std::function<void(std::size_t, parsed_option)>& take) {
  std::vector<char*> rest;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const argument input(words_[i]);
    if (i > 0 && input.ends_options()) {
      rest.insert(rest.end(), words_.begin() + static_cast<std::ptrdiff_t>(i), words_.end());
      break;
    }
    const auto option = std::ranges::find(known, input.name, &option_words::name);
    if (i == 0 || option == known.end()) {
      rest.push_back(words_[i]);
      continue;
    }
    if (option->value.empty() && input.value)
      throw usage_error(printable(words_[i]) + ": " + printable(input.name) +
                        " takes no value; leave it out to do without");
    std::string_view value;
    if (!option->value.empty()) value = input.value ? *input.value : value_of(input.name, words_, i);
    take(static_cast<std::size_t>(option - known.begin()), {option->name, value});
  }
  words_ = std::move(rest);
}

void command_line::refuse_rest(std::span<const std::string_view> known) const {
  if (words_.size() < 2) return;
  const std::string_view name = argument(words_[1]).name;
  throw usage_error("there is no option " + printable(name) + " of the runtime" +
                    question_of(name, known, "; write a program's own options on its command line"));
}

environment_line::environment_line(const char* variable) {
  const char* const text = variable == nullptr ? nullptr : std::getenv(variable);
  if (text != nullptr) {
    words_.emplace_back(variable);
    const auto words = command_words(text);
    if (!words) throw usage_error(words_.front() + ": a quote is not closed in " + printable(text));
    words_.insert(words_.end(), words->begin(), words->end());
  }
  for (std::string& word : words_) array_.push_back(word.data());
  array_.push_back(nullptr);
}

void environment_line::naming(const std::function<void()>& act) const {
  try {
    act();
  } catch (const usage_error& e) {
    throw usage_error(words_.front() + ": " + e.what());
  }
}

void command_line::give_rest(int& argc, char**& argv) && {
  const auto before = static_cast<std::size_t>(argc);
  argc = static_cast<int>(words_.size());
  if (added_.empty() && words_.size() <= before) {
    std::ranges::copy(words_, argv);
    if (words_.size() < before) argv[words_.size()] = nullptr;
    return;
  }
  words_.push_back(nullptr);
  argv = keep({std::move(added_), std::move(words_)});
}

std::size_t parse_word(const parsed_option& input, std::span<const std::string_view> words) {
  const auto found = std::ranges::find(words, input.value);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string message = printable(input.name) + " " + printable(input.value) + ": the value must be one of ";
  for (const std::string_view word : words) message += (word == words.front() ? "" : ", ") + printable(word);
  if (const std::string_view meant = nearest(input.value, words); !meant.empty())
    message += question(std::string(input.name) + " " + std::string(meant));
  throw usage_error(message);
}

void refuse_near_misses(int argc, char** argv, std::span<const std::string_view> names) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    if (argv[i][0] != '-') continue;
    const argument input(argv[i]);
    const auto meant =
        std::ranges::find_if(names, [&](std::string_view known) { return nearly(input.name, known); });
    if (meant == names.end()) continue;
    throw usage_error("unknown option " + printable(input.name) + question(*meant) +
                      " (An argument of the program's own goes after --.)");
  }
}

}  // namespace imbrex
