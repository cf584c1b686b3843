// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/descriptor.hpp>

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>

#include <imbrex/base/error.hpp>

namespace imbrex {

void open_standard_descriptors() noexcept {
  int number = 0;
  do number = ::open("/dev/null", O_RDWR);
  while (number >= 0 && number <= STDERR_FILENO);
  if (number > STDERR_FILENO) ::close(number);
}

void allow_many_descriptors() noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, std::min<rlim_t>(limit.rlim_max, 65'536));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void require_descriptors(int number, const std::string& reason) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  // The system gives the lowest free one, and those above it are usually free.
  const descriptor next(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
  if (next && static_cast<rlim_t>(next.get() + number) <= limit.rlim_cur) return;
  throw error("there are too few file descriptors: " + reason + ", and this process may have " +
              std::to_string(limit.rlim_cur) + ", of which " +
              (next ? std::to_string(next.get()) + " are" : std::string("all are")) +
              " in use; lower --pes, or raise the limit of open files (ulimit -n)");
}

}  // namespace imbrex
