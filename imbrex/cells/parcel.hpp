// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/grid/parcel.hpp>

namespace imbrex::cells::detail {

/// What the blocks of a cell set do in a phase. All do the same, in the same order.
enum class activity : std::uint8_t { none, migrate, cache, refresh, give_back };

/// What a block sends to another in a phase.
template <class T>
struct parcel {
  activity what = activity::none;
  std::uint64_t from = 0;  ///< the number of the block
  /// Of elements that move, the own cells of the receiver that they go to, in ascending order; of copies, how
  /// many of each cell.
  std::vector<std::uint32_t> cells{};
  std::vector<T> elements{};
  grid::detail::pooled<std::byte> values{};  ///< of a refresh
};

template <class T>
using parcel_letter = imbrex::detail::letter<parcel<T>>;

}  // namespace imbrex::cells::detail
