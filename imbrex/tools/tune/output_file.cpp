// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/tune/output_file.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options_file.hpp>

namespace imbrex::tune {
namespace {

namespace fs = std::filesystem;

std::string why(const std::string& file, int code) {
  return "--output " + file + " cannot be written: " + std::strerror(code);
}

/// Devices, links to nothing, and /dev/stdout, which may lead to a regular file that is open.
bool is_written_in_place(const std::string& file) {
  if (file.starts_with("/dev/")) return true;
  return fs::exists(file) ? !fs::is_regular_file(file) : fs::is_symlink(file);
}

/// A link stays: what it leads to is replaced.
std::string target_of(const std::string& file) {
  return fs::exists(file) ? fs::canonical(file).string() : file;
}

/// In the same folder, so that it can be renamed.
std::string beside(const std::string& file) { return file + "." + std::to_string(::getpid()) + ".new"; }

/// 0, or why it could not be written.
int write_text(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::trunc);
  out << text;
  out.close();
  if (out) return 0;
  return errno != 0 ? errno : EIO;
}

void check_is_options_file(const std::string& file) {
  try {
    read_options_file(file);
  } catch (const usage_error& e) {
    throw usage_error("--output " + file + " is there, and is no file of options; name another (" + e.what() +
                      ")");
  }
}

void check_can_be_opened(const std::string& file) {
  const bool was_there = fs::exists(file);
  if (!std::ofstream(file, std::ios::app)) throw usage_error(why(file, errno));
  if (!was_there) fs::remove(fs::canonical(file));  // not a link to it
}

std::error_code replace(const std::string& file, const std::string& text) {
  const std::string made = beside(file);
  std::error_code failed(write_text(made, text), std::generic_category());
  if (!failed && fs::exists(file)) fs::permissions(made, fs::status(file).permissions(), failed);
  if (!failed) fs::rename(made, file, failed);
  std::error_code ignored;
  if (failed) fs::remove(made, ignored);
  return failed;
}

}  // namespace

void check_output(const std::string& file) {
  if (fs::is_regular_file(file)) check_is_options_file(file);
  check_can_be_opened(file);
  if (!is_written_in_place(file)) check_can_be_opened(beside(target_of(file)));
}

void write_output(const std::string& file, const std::string& text) {
  const int code =
      is_written_in_place(file) ? write_text(file, text) : replace(target_of(file), text).value();
  if (code != 0) throw error(why(file, code));
}

}  // namespace imbrex::tune
