// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::checkpoints::detail {

/// Bytes of one message between hosts.
inline constexpr std::uint64_t bytes_at_once = std::uint64_t{4} << 20U;

/// A file of a checkpoint, of which pieces are sent to other hosts. All functions throw `error` with the path
/// and the cause.
class part_file {
 public:
  explicit part_file(const std::string& path)
      : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), bytes_(0) {
    const off_t end = file_ ? ::lseek(file_.get(), 0, SEEK_END) : -1;
    if (end < 0) fail();
    bytes_ = static_cast<std::uint64_t>(end);
  }
  std::uint64_t bytes() const { return bytes_; }
  std::vector<std::byte> read(std::uint64_t begin, std::uint64_t end) const {
    std::vector<std::byte> bytes(end - begin);
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t n =
          ::pread(file_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(begin + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail();
      done += static_cast<std::size_t>(n);
    }
    return bytes;
  }

 private:
  [[noreturn]] void fail() const {
    throw imbrex::error("\"" + printable(path_) + "\" cannot be read: " + std::strerror(errno));
  }

  std::string path_;
  descriptor file_;
  std::uint64_t bytes_;
};

}  // namespace imbrex::checkpoints::detail
