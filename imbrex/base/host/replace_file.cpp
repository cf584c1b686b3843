// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/replace_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace imbrex {
namespace {

namespace fs = std::filesystem;

std::error_code last_error() { return {errno != 0 ? errno : EIO, std::generic_category()}; }

/// True for devices, pipes, links to nothing and files with several names. Also for paths that may lead to an
/// open regular file, such as /dev/stdout.
bool is_written_in_place(const std::string& file) {
  if (file.starts_with("/dev/") || file.starts_with("/proc/")) return true;
  struct ::stat found{};
  std::error_code ignored;
  if (::stat(file.c_str(), &found) != 0) return fs::is_symlink(file, ignored);
  return !S_ISREG(found.st_mode) || found.st_nlink > 1;
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
  return out ? std::error_code() : last_error();
}

/// Makes a new file beside `target`, with its permissions; returns an empty name on failure.
std::string make_beside(const std::string& target) {
  const std::string temporary = target + "." + std::to_string(::getpid()) + ".new";
  const int descriptor = ::open(temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (descriptor < 0) return {};
  struct ::stat found{};
  const bool is_like_it = ::stat(target.c_str(), &found) != 0 || ::fchmod(descriptor, found.st_mode) == 0;
  ::close(descriptor);
  if (is_like_it) return temporary;
  ::unlink(temporary.c_str());
  return {};
}

}  // namespace

std::error_code replace_file(const std::string& file, std::string_view contents) {
  if (is_written_in_place(file)) return write(file, contents);
  const std::string target = target_of(file);
  if (::access(target.c_str(), W_OK) != 0 && errno != ENOENT) return last_error();
  const std::string temporary = make_beside(target);
  if (temporary.empty()) return write(target, contents);  // for instance, the folder is not writable
  std::error_code failed = write(temporary, contents);
  const bool is_whole = !failed;
  if (!failed) fs::rename(temporary, target, failed);
  std::error_code ignored;
  if (failed) fs::remove(temporary, ignored);
  return failed && is_whole ? write(target, contents) : failed;  // for instance, a file is mounted there
}

}  // namespace imbrex
