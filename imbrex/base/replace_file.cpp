// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/replace_file.hpp>

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace imbrex {
namespace {

namespace fs = std::filesystem;

/// Devices, links to nothing, and /dev/stdout, which may lead to a regular file that is open.
bool is_written_in_place(const std::string& file) {
  if (file.starts_with("/dev/")) return true;
  std::error_code ignored;
  return fs::exists(file, ignored) ? !fs::is_regular_file(file, ignored) : fs::is_symlink(file, ignored);
}

std::string target_of(const std::string& file) {
  std::error_code is_none;
  const fs::path target = fs::canonical(file, is_none);
  return is_none ? file : target.string();
}

std::error_code write(const std::string& file, std::string_view contents) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << contents;
  out.close();
  if (out) return {};
  return {errno != 0 ? errno : EIO, std::generic_category()};
}

}  // namespace

std::string written_first(const std::string& file) {
  return is_written_in_place(file) ? file : target_of(file) + "." + std::to_string(::getpid()) + ".new";
}

std::error_code replace_file(const std::string& file, std::string_view contents) {
  if (is_written_in_place(file)) return write(file, contents);
  const std::string made = written_first(file);
  const std::string target = target_of(file);
  std::error_code ignored;
  std::error_code failed = write(made, contents);
  if (!failed && fs::exists(target, ignored))
    fs::permissions(made, fs::status(target, ignored).permissions(), failed);
  if (!failed) fs::rename(made, target, failed);
  if (failed) fs::remove(made, ignored);
  return failed;
}

}  // namespace imbrex
