// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/whole_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/synchronize.hpp>

namespace imbrex {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_reason(int number) { throw error(std::strerror(number)); }

/// The target of a link, even if the target does not exist yet.
std::string place_of_target(const std::string& file) {
  std::error_code is_none;
  if (const fs::path target = fs::canonical(file, is_none); !is_none) return target.string();
  if (!fs::is_symlink(file, is_none)) return file;
  return (fs::path(file).parent_path() / fs::read_symlink(file)).string();
}

}  // namespace

whole_file::whole_file(const std::string& file) : target_(place_of_target(file)) {
  struct ::stat found{};
  const bool exists = ::stat(target_.c_str(), &found) == 0;
  if (!exists && errno != ENOENT) throw_reason(errno);
  if (exists && S_ISDIR(found.st_mode)) throw_reason(EISDIR);
  if (exists && !S_ISREG(found.st_mode)) throw error("it is no regular file");
  if (exists && ::access(target_.c_str(), W_OK) != 0) throw_reason(errno);
  open_beside();
  if (exists && ::fchmod(descriptor_, found.st_mode & 07777U) != 0) {
    const int why = errno;
    close();
    throw_reason(why);
  }
}

/// Opens the temporary file, by a name that no other writer has, in this process or in others.
void whole_file::open_beside() {
  const std::string first = target_ + "." + std::to_string(::getpid()) + ".";
  for (int number = 0;; ++number) {
    temporary_ = first + std::to_string(number) + ".new";
    descriptor_ = ::open(temporary_.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (descriptor_ >= 0) return;
    if (errno != EEXIST) throw_reason(errno);
  }
}

whole_file::~whole_file() { close(); }

/// Removes the temporary file unless it has replaced the target.
void whole_file::close() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void whole_file::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_reason(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void whole_file::write_first(std::span<const std::byte> bytes) {
  if (::lseek(descriptor_, 0, SEEK_SET) != 0) throw_reason(errno);
  write(bytes);
}

void whole_file::put_in_place() {
  if (::fsync(descriptor_) != 0) throw_reason(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) throw_reason(errno);  // some file systems write only now
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) throw_reason(errno);
  temporary_.clear();
  synchronize_folder(fs::path(target_).parent_path().string());
}

}  // namespace imbrex
