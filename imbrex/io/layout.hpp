// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/core/name/index.hpp>
#include <imbrex/io/hdf5.hpp>

namespace imbrex::io::detail {

/// The part of an element in a data set: the element's index, and the lengths of the part.
struct element_part {
  lengths where;
  lengths extents;

  void serialize(auto& ar) { ar(where, extents); }
};

/// Where the parts of the elements of an array lie in a data set.
class layout {
 public:
  layout() = default;
  /// Blocks of a grid that is cut by planes: an element's index is the place of its block. `shape` is the
  /// array's. Throws imbrex::error where blocks do not fit together; `name` is the data set's.
  static layout of_blocks(const std::string& name, const lengths& shape,
                          const std::vector<element_part>& parts);
  /// Parts one after the other, in the order of the elements.
  static layout in_a_row(const std::string& name, const lengths& shape,
                         const std::vector<element_part>& parts);
  /// `total` values in equal parts, one after the other: an earlier element has one more.
  static layout equal_parts(const lengths& shape, std::uint64_t total);
  /// Parts one after the other that begin at these places, the last of which is the end.
  static layout at(const lengths& shape, const std::vector<std::uint64_t>& starts);

  /// The lengths of the whole.
  lengths extents() const;
  /// Where the parts of a row begin, and the end.
  const std::vector<std::uint64_t>& starts(std::size_t dimension) const { return starts_[dimension]; }
  number_box box_of(const lengths& where) const;

  void serialize(auto& ar) { ar(shape_, starts_, is_row_); }

 private:
  lengths shape_;  ///< extents of the array
  std::vector<std::vector<std::uint64_t>> starts_;
  bool is_row_ = false;  ///< one dimension, and a part for each element
};

/// The dimensions of an index; 0 for a key.
template <class Index>
inline constexpr int dimensions_of = 0;
template <int N>
inline constexpr int dimensions_of<index<N>> = N;

template <int N>
lengths lengths_of(const index<N>& from) {
  lengths all;
  for (int d = 0; d < N; ++d) all.push_back(static_cast<std::uint64_t>(from[d]));
  return all;
}

}  // namespace imbrex::io::detail
