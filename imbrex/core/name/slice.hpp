// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include <imbrex/base/narrowed.hpp>
#include <imbrex/core/name/index.hpp>

namespace imbrex {

/// All indices of a dimension; this type and `strided_slice` follow std::submdspan.
struct full_extent_t {
  explicit full_extent_t() = default;
};
inline constexpr full_extent_t full_extent{};  ///< selects all indices of a dimension in `section`

/// Each `stride`-th index from `offset` to `offset` + `extent` - 1 of a dimension, beginning with `offset`.
struct strided_slice {
  int offset = 0;  ///< first index
  int extent = 0;
  int stride = 1;
};

namespace detail {

/// The indices of a slice: those from `first` on that are below `last`, in steps of `stride`.
struct slice_range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t stride = 1;

  /// Number of indices; only for a range that `check_slice` has accepted.
  int count() const { return static_cast<int>((last - first + stride - 1) / stride); }
};

/// A pair-like type of the first index and one past the last.
template <class S>
concept pair_of_indices = requires {
  requires std::tuple_size<S>::value == 2;
  requires std::integral<std::tuple_element_t<0, S>>;
  requires std::integral<std::tuple_element_t<1, S>>;
};

template <class S>
concept slice = std::same_as<S, full_extent_t> || std::same_as<S, strided_slice> || std::integral<S> ||
                pair_of_indices<S>;

constexpr slice_range range_of(full_extent_t, int extent) { return {0, extent, 1}; }
constexpr slice_range range_of(const strided_slice& s, int) {
  return {s.offset, std::int64_t{s.offset} + s.extent, s.stride};
}
template <std::integral I>
constexpr slice_range range_of(I at, int) {
  const int i = narrow<int, index_words>(at);
  return {i, std::int64_t{i} + 1, 1};
}
template <pair_of_indices P>
constexpr slice_range range_of(const P& ends, int) {
  return {narrow<int, index_words>(std::get<0>(ends)), narrow<int, index_words>(std::get<1>(ends)), 1};
}

/// Throws imbrex::error if the range is not within the extent of this dimension of the array, or if its
/// stride is not positive.
void check_slice(const slice_range& range, int dimension, int extent, std::string_view chare_name);

}  // namespace detail
}  // namespace imbrex
