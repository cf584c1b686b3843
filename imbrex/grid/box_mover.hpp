// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <imbrex/core/name/index.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/grid/box_moves.hpp>
#include <imbrex/grid/copy.hpp>

namespace imbrex::grid::detail {

extern const kernel<box_moves> move_boxes;

/// Submits copies of boxes to a stream, with as many boxes per kernel as fit.
class box_mover {
 public:
  explicit box_mover(stream& by) : by_(by) {}

  /// Adds a copy. Both strides are distances between cells, in cells.
  template <class T, int N>
  void add(const T* from, const strides_of<N>& from_strides, T* to, const strides_of<N>& to_strides,
           const index<N>& extents) {
    constexpr auto word =
        std::min<std::size_t>({alignof(T), std::size_t{1} << std::countr_zero(sizeof(T)), 16});
    static_assert(
        sizeof(T) / word <= INT16_MAX,
        "imbrex: a cell of a device_field is too large: it has more than 32,767 words of its alignment");
    box_move move{
        reinterpret_cast<const char*>(from),         reinterpret_cast<char*>(to),    {}, {}, {1, 1, 1},
        static_cast<std::int16_t>(sizeof(T) / word), static_cast<std::int16_t>(word)};
    for (int d = 0; d < N; ++d) {
      const auto place = static_cast<std::size_t>(d);
      constexpr auto size = static_cast<std::ptrdiff_t>(sizeof(T));
      move.from_strides[3 - N + d] = from_strides[place] * size;
      move.to_strides[3 - N + d] = to_strides[place] * size;
      move.extents[3 - N + d] = extents[d];
    }
    add(move);
  }
  /// Launches the copies that have been added.
  void launch();

 private:
  void add(const box_move& move);

  stream& by_;
  box_moves moves_;
};

}  // namespace imbrex::grid::detail
