// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options/options_file.hpp>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/read_file.hpp>
#include <imbrex/base/max_processes.hpp>
#include <imbrex/base/options/command_words.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex {
namespace {

[[noreturn]] void refuse(const std::string& place, const std::string& why) {
  throw usage_error(place + ": " + why);
}

/// True for "-n", "-n4" or the wrong "-n=4", but not for a longer name that begins so.
bool is_processes(const std::string& word) {
  return word.starts_with("-n=") ||
         (word.starts_with("-n") && word.find_first_not_of("0123456789", 2) == std::string::npos);
}

int processes_in(const std::string& place, const std::vector<std::string>& words) {
  const bool joined = words.front() != "-n";
  const std::string value = joined ? words.front().substr(2) : words.size() > 1 ? words[1] : "";
  const auto number = words.size() == (joined ? 1 : 2) ? parse_number<int>(value) : std::nullopt;
  if (!number || *number < 1 || *number > max_processes)
    refuse(place, "'" + command_line_of(words) + "': -n takes the number of processes, from 1 to " +
                      std::to_string(max_processes) + ", such as -n 4");
  return *number;
}

void take_line(options_file& read, const std::string& place, const std::string& line) {
  if (line.find('\0') != std::string::npos)
    refuse(place, "a byte is 0, so this is no text; name a text file with one option a line");
  const auto words = command_words(line);
  if (!words) refuse(place, "a quote is not closed: " + line);
  if (words->empty()) return;
  const std::string& first = words->front();
  if (!is_option_word(first))
    refuse(place, "'" + first + "' is no option; each line begins with one, such as --pes 4");
  const bool nested = std::ranges::any_of(
      *words, [](const std::string& word) { return word == "--options" || word.starts_with("--options="); });
  if (nested) refuse(place, "--options in an options file; write the options of that file here instead");
  if (std::ranges::find(*words, "--") != words->end())
    refuse(place, "'--' ends the options of a command line, and a file holds only options; leave it out");
  if (is_processes(first))
    read.processes = processes_in(place, *words);
  else
    read.words.insert(read.words.end(), words->begin(), words->end());
}

std::string_view without_byte_order_mark(std::string_view line) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return line.starts_with(mark) ? line.substr(mark.size()) : line;
}

}  // namespace

options_file read_options_file(const std::string& file) {
  std::string text;
  try {
    text = read_file(file, max_options_file);
  } catch (const error& e) {
    throw usage_error("--options " + printable(file) + " cannot be read: " + e.what() +
                      "; name a text file with one option a line");
  }
  options_file read;
  std::istringstream in(std::move(text));
  std::string line;
  for (int number = 1; std::getline(in, line); ++number)
    take_line(read, printable(file) + ":" + std::to_string(number),
              std::string(number == 1 ? without_byte_order_mark(line) : line));
  return read;
}

}  // namespace imbrex
