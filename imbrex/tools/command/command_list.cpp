// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/command/command_list.hpp>

#include <algorithm>
#include <array>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/command_line.hpp>
#include <imbrex/base/options/help_text.hpp>
#include <imbrex/base/options/nearest.hpp>

namespace imbrex::tools {
namespace {

constexpr std::string_view help_command = "help";
constexpr std::string_view help_option = "--help";
constexpr std::string_view version_option = "--version";
constexpr std::string_view json_option = "--json";

}  // namespace

command_list::command_list(std::string name, std::string text, std::vector<listed_command> commands)
    : name_(std::move(name)), text_(std::move(text)), commands_(std::move(commands)) {}

command_list& command_list::version(std::string text, std::string (*json)()) {
  version_ = std::move(text);
  json_of_version_ = json;
  return *this;
}

const listed_command* command_list::find(std::string_view name) const {
  const auto found = std::ranges::find(commands_, name, &listed_command::name);
  return found == commands_.end() ? nullptr : &*found;
}

const listed_command& command_list::known(const std::string& name) const {
  if (const listed_command* const command = find(name)) return *command;
  std::vector<std::string_view> names;
  std::string all;
  for (const listed_command& each : commands_) {
    names.push_back(each.name);
    all += (all.empty() ? "" : ", ") + std::string(each.name);
  }
  const std::string there_are = "; there are: " + all + "; see " + name_ + " --help";
  if (name.empty()) throw usage_error("no command" + there_are);
  names.push_back(help_command);
  throw usage_error("there is no command '" + name + "'" + question_of(name, names, there_are));
}

void command_list::refuse_option(const std::string& word) const {
  std::vector<std::string_view> names{help_option};
  if (!version_.empty()) names.push_back(version_option);
  throw usage_error("unknown option " + word +
                    question_of(word, names,
                                ": options stand behind the command, " + name_ + " COMMAND [OPTIONS]; see " +
                                    name_ + " --help"));
}

int command_list::run_help(std::span<const std::string> words) const {
  if (words.empty()) {
    print(help());
    return 0;
  }
  const listed_command& command = known(words.front());
  if (words.size() > 1)
    throw usage_error("unknown argument '" + words[1] + "': " + name_ + " help takes one command; see " +
                      name_ + " " + std::string(command.name) + " --help");
  return command.run(std::array{std::string(help_option)});
}

int command_list::run_version(std::span<const std::string> words) const {
  if (words.size() > 1 || (!words.empty() && words.front() != json_option))
    throw usage_error("unknown argument '" + words.back() + "': " + name_ + " --version takes " +
                      std::string(json_option) + " or nothing");
  print((words.empty() ? version_ : json_of_version_()) + "\n");
  return 0;
}

int command_list::run(std::span<const std::string> words) const {
  const std::string first = words.empty() ? std::string() : words.front();
  if (first == help_option || first == "-h") return run_help({});
  if (first == help_command) return run_help(words.subspan(1));
  if (first == version_option && !version_.empty()) return run_version(words.subspan(1));
  if (first.starts_with('-')) refuse_option(first);
  return known(first).run(words.subspan(1));
}

std::string command_list::name_of(std::span<const std::string> words) const {
  return !words.empty() && find(words.front()) != nullptr ? name_ + " " + words.front() : name_;
}

std::string command_list::help() const {
  std::string help = name_ + " COMMAND [OPTIONS]\n\n" + wrapped(text_) + "\n\n";
  for (const listed_command& each : commands_) help += help_of({each.name, "", std::string(each.summary)});
  help += help_of({help_command, "COMMAND", "print the help of a command"});
  if (!version_.empty())
    help += help_of({version_option, "",
                     "print the version; with --json, also the commit and the libraries of the build"});
  return help + help_of({help_option, "", "print this"});
}

}  // namespace imbrex::tools
