// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/internal/record_format.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace imbrex::balance::detail {

std::uint64_t checksum_of(std::span<const std::byte> content) {
  return XXH3_64bits(content.data(), content.size());
}

}  // namespace imbrex::balance::detail
