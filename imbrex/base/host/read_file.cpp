// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/read_file.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <imbrex/base/error.hpp>
#include <imbrex/base/host/descriptor.hpp>

namespace imbrex {

std::string read_file(const std::string& file, std::size_t most) {
  const descriptor handle(
      ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // else a named pipe would block
  struct ::stat found{};
  if (!handle || ::fstat(handle.get(), &found) != 0) throw error(std::strerror(errno));
  if (S_ISDIR(found.st_mode)) throw error(std::strerror(EISDIR));
  if (!S_ISREG(found.st_mode)) throw error("it is no regular file");
  std::string text;
  while (text.size() <= most) {  // the reported size may be 0, as in /proc, or change
    const std::size_t before = text.size();
    constexpr std::size_t part = 65'536;
    text.resize(before + part);
    const ssize_t got = ::read(handle.get(), text.data() + before, part);
    if (got < 0 && errno != EINTR) throw error(std::strerror(errno));
    text.resize(before + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return text;
  }
  throw error("it has more than " + std::to_string(most) + " bytes");
}

}  // namespace imbrex
