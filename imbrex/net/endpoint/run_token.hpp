// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace imbrex::endpoints {

/// What the processes of a run know and nobody else: it stands at the end of all that they send each other,
/// and is compared before anything else is read. So it tells a stranger's message, not one of who can read
/// the others'.
using run_token = std::uint64_t;

/// Throws imbrex::error if the system has no random bytes.
run_token draw_token();

/// Takes the token off; false if it is another, or none.
inline bool take_token(std::span<const std::byte>& bytes, run_token expected) {
  if (bytes.size() < sizeof(run_token)) return false;
  run_token found;
  std::memcpy(&found, bytes.data() + bytes.size() - sizeof found, sizeof found);
  bytes = bytes.first(bytes.size() - sizeof found);
  return found == expected;
}

/// Says once in a process that a message was dropped, and to whom it came.
void tell_of_stranger(std::string_view receiver) noexcept;

}  // namespace imbrex::endpoints
