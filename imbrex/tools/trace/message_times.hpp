// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex::tools {

/// Times at which a message was sent, ready and begun, in non-decreasing order.
struct message_times {
  std::uint64_t sent = 0;
  std::uint64_t ready = 0;
  std::uint64_t begun = 0;
};

}  // namespace imbrex::tools
