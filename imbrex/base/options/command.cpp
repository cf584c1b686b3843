// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/command.hpp>

#include <algorithm>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/options/help_text.hpp>
#include <imbrex/base/options/nearest.hpp>

namespace imbrex {
namespace {

const option_words& help_option() {
  static const option_words words{"--help", "", "print this"};
  return words;
}

bool asks_for_help(const std::string& word) { return word == help_option().name || word == "-h"; }

}  // namespace

command::command(std::string name, std::string_view usage, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  for (std::size_t begin = 0; begin <= usage.size();) {
    const std::size_t end = std::min(usage.find('\n', begin), usage.size());
    usage_ += wrapped(name_ + " " + std::string(usage.substr(begin, end - begin)), 0, 4) + "\n";
    begin = end + 1;
  }
}

command& command::flag(std::string_view name, bool& setting, std::string help) {
  options_.push_back({{name, "", std::move(help)}, [&setting](const std::string&) { setting = true; }, {}});
  return *this;
}

command& command::option(std::string_view name, std::string_view value,
                         std::function<void(const std::string&)> take, std::string help) {
  options_.push_back({{name, value, std::move(help)}, std::move(take), {}});
  return *this;
}

command& command::option(std::string_view name, std::string_view values,
                         std::function<void(const std::string&, const std::string&)> take, std::string help) {
  options_.push_back({{name, values, std::move(help)}, {}, std::move(take)});
  return *this;
}

command& command::option(std::string_view name, std::string_view value, std::optional<std::string>& text,
                         std::string help) {
  return option(name, value, [&text](const std::string& setting) { text = setting; }, std::move(help));
}

command& command::arguments(std::vector<std::string>& words) {
  arguments_ = &words;
  return *this;
}

command& command::program(std::vector<std::string>& words) {
  program_ = &words;
  return *this;
}

command& command::note(std::string text) {
  note_ = std::move(text);
  return *this;
}

command& command::others(std::span<const std::string_view> names, std::string help) {
  other_names_.assign(names.begin(), names.end());
  other_help_ = std::move(help);
  return *this;
}

const command::known_option* command::find(std::string_view name) const {
  const auto found =
      std::ranges::find_if(options_, [&](const known_option& each) { return each.words.name == name; });
  return found == options_.end() ? nullptr : &*found;
}

void command::refuse(std::string_view name) const {
  std::vector<std::string_view> known{help_option().name};
  for (const known_option& each : options_) known.push_back(each.words.name);
  known.insert(known.end(), other_names_.begin(), other_names_.end());
  const std::string otherwise =
      (program_ == nullptr ? "" : ": options before the program are those of " + name_) + see_help();
  throw usage_error("unknown option " + std::string(name) + question_of(name, known, otherwise));
}

void command::take_option(std::span<const std::string> words, std::size_t& at) const {
  const std::string& word = words[at];
  constexpr std::size_t short_option_length = 2;  // a dash and one letter
  std::size_t end = std::min(word.find('='), word.size());
  std::size_t begin = end + 1;  // begin of the value
  const known_option* option = find(std::string_view(word).substr(0, end));
  if (option == nullptr && word.size() > short_option_length && word[1] != '-') {
    option = find(std::string_view(word).substr(0, short_option_length));
    end = begin = short_option_length;
  }
  if (option == nullptr) refuse(word.substr(0, word.find('=')));
  const std::string name(option->words.name);
  const bool attached = end < word.size();
  if (option->take_two) {
    if (attached || at + 2 >= words.size())
      throw usage_error(name + " needs two words after it, " + std::string(option->words.value) + see_help());
    option->take_two(words[at + 1], words[at + 2]);
    at += 2;
  } else if (option->words.value.empty()) {
    if (attached) throw usage_error(word + ": " + name + " takes no value; leave it out");
    option->take({});
  } else if (attached) {
    option->take(word.substr(begin));
  } else if (++at < words.size()) {
    option->take(words[at]);
  } else {
    throw usage_error(name + " needs a value" + see_help());
  }
}

void command::take_arguments(std::span<const std::string> words) const {
  std::vector<std::string>* const to = program_ != nullptr ? program_ : arguments_;
  if (to != nullptr)
    to->insert(to->end(), words.begin(), words.end());
  else if (!words.empty())
    throw usage_error("unknown argument '" + words.front() + "': " + name_ + " takes options only" +
                      see_help());
}

std::optional<std::string> command::read(std::span<const std::string> words) const {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--") {
      take_arguments(words.subspan(at + 1));
      break;
    }
    if (asks_for_help(word)) return help();
    if (is_option_word(word)) {
      take_option(words, at);
    } else if (program_ != nullptr) {
      take_arguments(words.subspan(at));
      break;
    } else {
      take_arguments(words.subspan(at, 1));
    }
  }
  return std::nullopt;
}

std::string command::help() const {
  std::string help = usage_ + "\n" + wrapped(text_) + "\n\n";
  for (const known_option& each : options_) help += help_of(each.words);
  help += help_of(help_option());
  if (!note_.empty()) help += "\n" + wrapped(note_) + "\n";
  if (!other_help_.empty()) help += "\n" + other_help_;
  return help;
}

}  // namespace imbrex
