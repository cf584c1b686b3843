// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace imbrex::endpoints {

/// A secret number of the run's processes, at the end of every message between them. It is compared before
/// anything else is read. So it reveals a message from outside the run, unless its sender can read the run's
/// messages.
using run_token = std::uint64_t;

/// Throws imbrex::error if the system has no random bytes.
run_token draw_token();

/// Removes the token. False if it differs or is missing.
inline bool take_token(std::span<const std::byte>& bytes, run_token expected) {
  if (bytes.size() < sizeof(run_token)) return false;
  run_token found;
  std::memcpy(&found, bytes.data() + bytes.size() - sizeof found, sizeof found);
  bytes = bytes.first(bytes.size() - sizeof found);
  return found == expected;
}

/// Logs, once in a process, that a message to `receiver` was dropped.
void tell_of_stranger(std::string_view receiver) noexcept;

}  // namespace imbrex::endpoints
