// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/output_file.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/replace_file.hpp>
#include <imbrex/base/options/options_file.hpp>

namespace imbrex::tune {
namespace {

namespace fs = std::filesystem;

std::string why(const std::string& file, const std::error_code& problem) {
  return "--output " + file + " cannot be written: " + problem.message();
}

void check_is_options_file(const std::string& file) {
  try {
    read_options_file(file);
  } catch (const usage_error& e) {
    throw usage_error("--output " + file + " is there, and is no file of options; name another (" + e.what() +
                      ")");
  }
}

}  // namespace

void check_output(const std::string& file) {
  std::error_code ignored;
  if (fs::is_regular_file(file, ignored)) check_is_options_file(file);
  const bool was_there = fs::exists(file, ignored);
  // O_NONBLOCK: opening a pipe without a reader would block.
  const int file_descriptor =
      ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file_descriptor < 0) throw usage_error(why(file, {errno, std::generic_category()}));
  ::close(file_descriptor);
  if (!was_there) fs::remove(fs::canonical(file));  // removes the file itself, not a link to it
}

void write_output(const std::string& file, const std::string& text) {
  if (const std::error_code problem = replace_file(file, text)) throw error(why(file, problem));
}

}  // namespace imbrex::tune
