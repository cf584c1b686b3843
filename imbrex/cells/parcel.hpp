// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <imbrex/grid/parcel.hpp>

namespace imbrex::cells::detail {

/// Kind of a phase of a cell set. All blocks run the same phases in the same order.
enum class activity : std::uint8_t { none, migrate, cache, refresh, give_back };

/// Message of a block to another in a phase.
template <class T>
struct parcel {
  activity what = activity::none;
  std::uint64_t from = 0;  ///< number of the sending block
  /// Elements that move: the receiver's own cells for them, in ascending order. Copies: the number of
  /// elements of each cell.
  std::vector<std::uint32_t> cells{};
  std::vector<T> elements{};
  grid::detail::pooled<std::byte> values{};  ///< values of a refresh

  template <class V>
  void write(std::size_t i, const V& value) {
    std::memcpy(values.data() + i * sizeof(V), &value, sizeof(V));
  }
};

}  // namespace imbrex::cells::detail
