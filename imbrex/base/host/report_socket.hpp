// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include <optional>
#include <string>

namespace imbrex {

/// The local socket by which `imbrex who` asks a process for a report: an abstract one, so that no file stays
/// behind.
struct report_address {
  explicit report_address(pid_t process) noexcept;

  /// The name as /proc/net/unix shows it begins with these words; the process id follows.
  static constexpr const char* shown_prefix = "@imbrex/report/";

  const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&place_); }
  socklen_t size() const noexcept { return size_; }

 private:
  sockaddr_un place_{};
  socklen_t size_ = 0;
};

/// The user and process at the other end of a connection; none if the system does not tell.
std::optional<ucred> other_end_of(int connection) noexcept;

/// Sends all bytes. False if the other end has gone, or takes nothing for `most_ms`.
bool send_all(int connection, const std::string& bytes, int most_ms) noexcept;

}  // namespace imbrex
