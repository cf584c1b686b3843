// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/file/system_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

struct explanation {
  int error_class;
  const char* remedy;
};

explanation explain(int reason) {
  switch (reason) {
    case ENOENT: return {MPI_ERR_NO_SUCH_FILE, "check the name, or open with MPI_MODE_CREATE"};
    case EEXIST: return {MPI_ERR_FILE_EXISTS, "delete the file before, or open without MPI_MODE_EXCL"};
    case EACCES:
    case EPERM: return {MPI_ERR_ACCESS, "check the permissions of the file and of its folder"};
    case EROFS: return {MPI_ERR_READ_ONLY, "use a file system that can be written"};
    case ENOSPC: return {MPI_ERR_NO_SPACE, "make space on the file system, or use another one"};
    case EDQUOT: return {MPI_ERR_QUOTA, "make space within the quota, or use another file system"};
    case EFBIG: return {MPI_ERR_NO_SPACE, "write less, or raise the limit of files (ulimit -f)"};
    case EBUSY:
    case ETXTBSY: return {MPI_ERR_FILE_IN_USE, "wait until no other program uses the file"};
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case ENOTDIR: return {MPI_ERR_BAD_FILE, "give the name of a file"};
    case EMFILE:
    case ENFILE: return {MPI_ERR_IO, "raise the limit of open files (ulimit -n), or close some"};
    case ENOMEM: return {MPI_ERR_NO_MEM, "read or write less at once"};
    default: return {MPI_ERR_IO, "check the file system"};
  }
}

[[noreturn]] void throw_reason(const std::string& verb, const std::string& path, int reason = errno) {
  const explanation known = explain(reason);
  throw error(known.error_class,
              "cannot " + verb + " \"" + path + "\": " + std::strerror(reason) + "; " + known.remedy);
}

/// Calls a function of the system again when a signal has interrupted it.
template <typename Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Locks of the open file itself: two of one process exclude each other, too.
int set_lock(int descriptor, short kind, std::int64_t first, std::int64_t bytes) {
  struct flock range{};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = bytes;
  return uninterrupted([&] { return ::fcntl(descriptor, F_OFD_SETLKW, &range); });
}

}  // namespace

system_file::~system_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void system_file::open(const std::string& path, int flags) {
  constexpr mode_t for_everybody = 0666;
  path_ = path;
  descriptor_ = uninterrupted([&] { return ::open(path.c_str(), flags | O_CLOEXEC, for_everybody); });
  if (descriptor_ < 0) throw_reason("open", path);
}

void system_file::close() {
  if (descriptor_ >= 0 && ::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR)
    throw_reason("close", path_);
}

std::int64_t system_file::size() const {
  struct stat found{};
  if (::fstat(descriptor_, &found) != 0) throw_reason("find the size of", path_);
  return found.st_size;
}

void system_file::set_size(std::int64_t bytes) {
  if (uninterrupted([&] { return ::ftruncate(descriptor_, bytes); }) != 0)
    throw_reason("set the size of", path_);
}

void system_file::reserve(std::int64_t bytes) {
  if (bytes == 0) return;
  const int reason = ::posix_fallocate(descriptor_, 0, bytes);
  if (reason != 0) throw_reason("reserve space for", path_, reason);
}

std::int64_t system_file::read(std::int64_t at, std::byte* to, std::int64_t bytes) const {
  std::int64_t done = 0;
  while (done < bytes) {
    const ssize_t n = uninterrupted(
        [&] { return ::pread(descriptor_, to + done, static_cast<std::size_t>(bytes - done), at + done); });
    if (n < 0) throw_reason("read", path_);
    if (n == 0) break;
    done += n;
  }
  return done;
}

void system_file::write(std::int64_t at, const std::byte* from, std::int64_t bytes) {
  for (std::int64_t done = 0; done < bytes;) {
    const ssize_t n = uninterrupted([&] {
      return ::pwrite(descriptor_, from + done, static_cast<std::size_t>(bytes - done), at + done);
    });
    if (n < 0) throw_reason("write to", path_);
    done += n;
  }
}

void system_file::sync() {
  if (uninterrupted([&] { return ::fsync(descriptor_); }) != 0 && errno != EINVAL)
    throw_reason("store", path_);
}

void system_file::remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0) throw_reason("delete", path);
}

system_file::range_lock::range_lock(const system_file& of, std::int64_t first, std::int64_t end,
                                    bool is_exclusive)
    : of_(of), first_(first), bytes_(end - first) {
  if (bytes_ > 0 &&
      set_lock(of.descriptor_, static_cast<short>(is_exclusive ? F_WRLCK : F_RDLCK), first_, bytes_) != 0)
    throw_reason("lock", of.path_);
}

system_file::range_lock::~range_lock() {
  if (bytes_ > 0) set_lock(of_.descriptor_, F_UNLCK, first_, bytes_);
}

}  // namespace imbrex::mpi
