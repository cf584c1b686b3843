// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <imbrex/checkpoint/internal/layout.hpp>

namespace imbrex::checkpoints::test {

template <class T>
T value_at(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void put_at(std::span<std::byte> bytes, std::size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

/// Repairs the tables of a compressed part as `repair` does, but no checksums of its blocks.
inline void repair_compressed(std::span<std::byte> bytes) {
  const std::size_t end = bytes.size() - sizeof(detail::trailer);
  auto last = value_at<detail::trailer>(bytes, end);
  const std::uint64_t blocks = detail::blocks_of(last.body);
  const std::uint64_t tables = 2 * blocks * sizeof(std::uint64_t);
  if (blocks <= end / sizeof(std::uint64_t) && tables <= end)
    last.checksum = detail::checksum_of(bytes.subspan(end - tables, tables));
  put_at(bytes, offsetof(detail::preamble, bytes),
         std::uint64_t{last.body + blocks * sizeof(std::uint64_t) + sizeof last});
  last.digest = detail::digest_of(last);
  put_at(bytes, end, last);
}

/// Makes the checksums and the size of a changed part right, so that readers come to the other checks.
inline void repair(std::span<std::byte> bytes) {
  if (bytes.size() < sizeof(detail::preamble) + sizeof(detail::trailer)) return;
  if (value_at<detail::preamble>(bytes, 0).version == detail::compressed_version)
    return repair_compressed(bytes);
  put_at(bytes, offsetof(detail::preamble, bytes), std::uint64_t{bytes.size()});
  const std::size_t end = bytes.size() - sizeof(detail::trailer);
  auto last = value_at<detail::trailer>(bytes, end);
  if (last.body <= end) {
    std::size_t at = last.body;
    for (std::size_t block = 0; block < last.body && at + sizeof(std::uint64_t) <= end;
         block += detail::block_size, at += sizeof(std::uint64_t)) {
      const std::size_t size = std::min<std::size_t>(detail::block_size, last.body - block);
      put_at(bytes, at, detail::checksum_of(bytes.subspan(block, size)));
    }
    last.checksum = detail::checksum_of(bytes.subspan(last.body, end - last.body));
  }
  last.digest = detail::digest_of(last);
  put_at(bytes, end, last);
}

}  // namespace imbrex::checkpoints::test
