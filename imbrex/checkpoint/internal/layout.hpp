// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <imbrex/checkpoint/part.hpp>

namespace imbrex::checkpoints::detail {

// A part: the preamble, the records, the index, the directory, a checksum for each block of all this (the
// body), and the trailer. Records begin at multiples of `record_alignment`.
//
// In a compressed part each block of the body is compressed for itself. A preamble comes first, then the
// blocks, their compressed sizes, and the checksums and the trailer of the part as it was. The trailer's
// offsets are those in the body, and its checksum of checksums includes the sizes.

inline constexpr std::size_t block_size = std::size_t{4} << 20U;
inline constexpr std::size_t record_alignment = 16;
inline constexpr std::size_t index_alignment = 8;
inline constexpr std::uint32_t format_version = 1;
inline constexpr std::uint32_t compressed_version = 2;
inline constexpr std::uint32_t byte_order = 0x01020304;

struct preamble {
  std::array<char, 8> magic{'I', 'm', 'b', 'r', 'e', 'x', 'C', '\n'};
  std::uint32_t version = format_version;  ///< or compressed_version
  std::uint32_t order = byte_order;        ///< another number on a machine of the other byte order
  std::uint64_t bytes = 0;                 ///< size of the whole part; of a compressed one, as it was
  std::array<std::uint64_t, 5> reserved{};
};
static_assert(sizeof(preamble) == 64);

/// Precedes the bytes of a record's key in the index, which are padded to `index_alignment`. Records are in
/// the order of their entries.
struct index_entry {
  std::uint32_t section = 0;
  std::uint32_t key_bytes = 0;
  std::uint64_t bytes = 0;
};
static_assert(sizeof(index_entry) == 16);

struct stored_section {
  section_info info{};
  std::uint64_t records = 0;

  void serialize(auto& ar) { ar(info, records); }
};

struct directory {
  part_header header{};
  std::vector<std::string> strings{};
  std::vector<stored_section> sections{};

  void serialize(auto& ar) { ar(header, strings, sections); }
};

struct trailer {
  std::uint64_t records_end = 0;  ///< offset at which the index begins
  std::uint64_t index_end = 0;    ///< offset at which the directory begins
  std::uint64_t body = 0;         ///< offset at which the checksums begin
  std::uint64_t checksum = 0;     ///< checksum of the checksums
  std::uint64_t digest = 0;       ///< checksum of the fields above
  std::array<char, 8> magic{'I', 'm', 'b', 'r', 'e', 'x', 'E', '\n'};
};
static_assert(sizeof(trailer) == 48);

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}
/// Number of blocks of a body of any size.
constexpr std::uint64_t blocks_of(std::uint64_t body) {
  return body / block_size + (body % block_size == 0 ? 0 : 1);
}

/// XXH3 of 64 bits.
std::uint64_t checksum_of(std::span<const std::byte> bytes);
/// The checksum of the fields before `digest`.
std::uint64_t digest_of(const trailer& t);

}  // namespace imbrex::checkpoints::detail
