// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace imbrex::resident::detail {

/// Least multiple of 256 that holds these bytes. Pieces of a GPU's memory begin at such multiples.
constexpr std::size_t aligned_bytes(std::size_t bytes) {
  constexpr std::size_t alignment = 256;
  return (bytes + alignment - 1) / alignment * alignment;
}

}  // namespace imbrex::resident::detail
