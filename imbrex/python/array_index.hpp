// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include <imbrex/core/name/index.hpp>

namespace imbrex::python {

/// An index of an array of one to six dimensions, or the shape of such an array. One type for all numbers of
/// dimensions, since each index type costs a copy of the core's templates.
class array_index {
 public:
  array_index() = default;
  array_index(int i) : values_{i} {}
  explicit array_index(std::span<const int> values);

  int dimensions = 1;
  int operator[](int dimension) const { return values_[static_cast<std::size_t>(dimension)]; }
  int& operator[](int dimension) { return values_[static_cast<std::size_t>(dimension)]; }
  std::span<const int> values() const {
    return std::span(values_).first(static_cast<std::size_t>(dimensions));
  }
  bool operator==(const array_index&) const = default;

  void serialize(auto& ar) {
    ar(dimensions, values_);
    if (dimensions < 1 || dimensions > most) throw_wrong_dimensions();
  }

 private:
  static constexpr int most = 6;
  [[noreturn]] void throw_wrong_dimensions() const;

  std::array<int, most> values_{};  ///< zeros behind the dimensions
};

/// "(1, 2)", or "3" in one dimension.
std::string index_text(std::span<const int> index);
inline std::string to_string(const array_index& i) { return index_text(i.values()); }

}  // namespace imbrex::python

template <>
inline constexpr bool imbrex::enable_index<imbrex::python::array_index> = true;
