// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/internal/layout.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace imbrex::checkpoints::detail {

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t digest_of(const trailer& t) {
  return checksum_of(std::as_bytes(std::span(&t, 1)).first(offsetof(trailer, digest)));
}

}  // namespace imbrex::checkpoints::detail
