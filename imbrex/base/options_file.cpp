// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/options_file.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include <imbrex/base/command_words.hpp>
#include <imbrex/base/error.hpp>
#include <imbrex/base/number.hpp>
#include <imbrex/base/options.hpp>

namespace imbrex {
namespace {

[[noreturn]] void refuse(const std::string& place, const std::string& why) {
  throw usage_error(place + ": " + why);
}

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-' && word != "--"; }

int processes_in(const std::string& place, const std::vector<std::string>& words) {
  const auto number = words.size() == 2 ? parse_number<int>(words[1]) : std::nullopt;
  if (!number || *number < 1 || *number > max_processes)
    refuse(place, "'" + command_line_of(words) + "': -n takes the number of processes, from 1 to " +
                      std::to_string(max_processes) + ", such as -n 4");
  return *number;
}

void take_line(options_file& read, const std::string& place, const std::string& line) {
  const auto words = command_words(line);
  if (!words) refuse(place, "a quote is not closed: " + line);
  if (words->empty()) return;
  const std::string& first = words->front();
  if (!is_option(first))
    refuse(place, "'" + first + "' is no option; each line begins with one, such as --pes 4");
  const bool nested = std::ranges::any_of(
      *words, [](const std::string& word) { return word == "--options" || word.starts_with("--options="); });
  if (nested) refuse(place, "--options in an options file; write the options of that file here instead");
  if (first == "-n")
    read.processes = processes_in(place, *words);
  else
    read.words.insert(read.words.end(), words->begin(), words->end());
}

}  // namespace

options_file read_options_file(const std::string& file) {
  errno = 0;
  std::ifstream in(file);
  options_file read;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number)
    take_line(read, file + ":" + std::to_string(number), line);
  if (!in.is_open() || in.bad())
    throw usage_error("--options " + file + " cannot be read: " + std::strerror(errno) +
                      "; name a text file with one option a line");
  return read;
}

}  // namespace imbrex
