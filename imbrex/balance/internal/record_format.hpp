// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace imbrex::balance::detail {

// The file of a record: a header and then blocks, each of which is a value as `to_bytes` writes it.

struct record_header {
  std::array<char, 8> magic{'i', 'm', 'b', 'r', 'e', 'x', 'b', '\n'};
  std::uint64_t version = 2;  ///< another number on a machine of the other byte order
  /// Bytes of the file up to the end of the last whole block. The writer sets it after the block, so that the
  /// file of a killed run is whole up to here.
  std::uint64_t whole = sizeof(record_header);
};
static_assert(sizeof(record_header) == 24);

enum class record_block : std::uint64_t {
  run = 1,      ///< a `recorded_run`; the first block
  objects = 2,  ///< the `recorded_objects` of the periods that follow
  period = 3,   ///< a `recorded_period`
};

struct record_block_header {
  record_block kind{};
  std::uint64_t bytes = 0;     ///< size of the content after this header
  std::uint64_t checksum = 0;  ///< XXH3 (64 bits) of the content
};
static_assert(sizeof(record_block_header) == 24);

/// The checksum of a block's content.
std::uint64_t checksum_of(std::span<const std::byte> content);

}  // namespace imbrex::balance::detail
