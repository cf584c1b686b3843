// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace imbrex {

using digest256 = std::array<std::uint8_t, 32>;

/// The hash of FIPS 180-4.
digest256 sha256(std::string_view bytes);
/// The keyed hash of RFC 2104: computing it requires the key.
digest256 hmac_sha256(std::string_view key, std::string_view bytes);
/// Compares in a time that does not depend on where the digests differ.
bool are_equal(const digest256& left, const digest256& other);

inline std::string_view as_bytes_of(const digest256& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace imbrex
