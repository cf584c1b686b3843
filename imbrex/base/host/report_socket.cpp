// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/report_socket.hpp>

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>

namespace imbrex {

report_address::report_address(pid_t process) noexcept {
  place_.sun_family = AF_UNIX;
  char* const name = place_.sun_path + 1;  // a name that begins with a null byte is abstract
  const int length = std::snprintf(name, sizeof place_.sun_path - 1, "%s%d", shown_prefix + 1, process);
  size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(length));
}

std::optional<ucred> other_end_of(int connection) noexcept {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) return std::nullopt;
  return who;
}

bool send_all(int connection, const std::string& bytes, int most_ms) noexcept {
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t n =
        ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
    } else if (n < 0 && errno == EAGAIN) {
      pollfd room{connection, POLLOUT, 0};
      if (::poll(&room, 1, most_ms) == 0) return false;
    } else if (n < 0 && errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace imbrex
