// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace imbrex::tools {

/// The place where a server listens.
struct metrics_address {
  std::string host;        ///< name or number of a host, without brackets
  std::uint16_t port = 0;  ///< 0: one that is free

  /// "127.0.0.1:9100", or "[::1]:9100".
  std::string text() const;
};

/// The address in the text HOST:PORT, where a number of IPv6 stands in brackets. Throws `usage_error`.
metrics_address parse_metrics_address(const std::string& text);

}  // namespace imbrex::tools
