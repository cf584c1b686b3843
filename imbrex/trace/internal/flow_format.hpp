// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace imbrex::trace::flow_format {

/// A file of a flow begins with this header. The facts of the run follow, and then all arrays, each with its
/// number of elements before it.
struct flow_header {
  std::array<char, 8> magic{'i', 'm', 'b', 'r', 'e', 'x', 'f', '\n'};
  std::uint64_t version = 1;   ///< another number on a machine of the other byte order
  std::uint64_t bytes = 0;     ///< size of the content behind the header
  std::uint64_t checksum = 0;  ///< XXH3 (64 bits) of the content
};
static_assert(sizeof(flow_header) == 32);

/// The checksum of a file's content.
std::uint64_t flow_checksum(std::string_view content);

}  // namespace imbrex::trace::flow_format
