// SPDX-License-Identifier: Apache-2.0
#pragma once
// The indices of an array and their neighbours, for loops over the blocks of a grid.
//   for (const auto i : indices(shape)) ...
//   for (const auto& [where, across] : neighbours(i, shape)) ...

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <type_traits>

#include <imbrex/base/error.hpp>
#include <imbrex/core/name/index.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex {

/// All indices of an array of this shape, in order: the last dimension varies fastest. Empty if an extent is
/// below 1.
template <int N>
class indices {
 public:
  /// Visits the indices; the last dimension varies fastest.
  class iterator {
   public:
    using value_type = index<N>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using reference = index<N>;
    using pointer = void;

    constexpr iterator() = default;
    constexpr index<N> operator*() const { return at_; }
    constexpr iterator& operator++() {
      ++position_;
      for (int d = N - 1; d >= 0; --d) {
        if (at_[d] + 1 < shape_[d]) {
          ++at_[d];
          break;
        }
        at_[d] = 0;
      }
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    constexpr bool operator==(const iterator& other) const { return position_ == other.position_; }

   private:
    friend indices;
    constexpr iterator(const index<N>& shape, std::uint64_t position) : shape_(shape), position_(position) {}

    index<N> shape_, at_;
    std::uint64_t position_ = 0;
  };

  /// `shape`: extents; the indices are 0 to extent - 1 in each dimension.
  constexpr explicit indices(const index<N>& shape) : shape_(shape) {}

  constexpr iterator begin() const { return {shape_, 0}; }
  constexpr iterator end() const { return {shape_, size()}; }
  constexpr std::uint64_t size() const { return detail::volume(shape_); }
  constexpr bool empty() const { return size() == 0; }

 private:
  index<N> shape_;
};

namespace detail {

constexpr int count_sides(int dimensions) {
  int n = 1;
  for (int d = 0; d < dimensions; ++d) n *= 3;
  return n - 1;
}

/// The offsets of edges and corners in lexicographic order, as numbers of base 3. The digits 0, 1 and 2 mean
/// -1, 0 and 1. So opposite offsets are equally far from the beginning and the end.
template <int N>
inline constexpr auto offsets_of_sides = [] {
  std::array<std::int16_t, static_cast<std::size_t>(count_sides(N) - 2 * N)> all{};
  std::size_t n = 0;
  for (int code = 0; code <= count_sides(N); ++code) {
    int moves = 0;
    for (int d = 0, rest = code; d < N; ++d, rest /= 3) moves += rest % 3 != 1;
    if (moves > 1) all[n++] = static_cast<std::int16_t>(code);
  }
  return all;
}();

}  // namespace detail

/// A side of a block: a face, an edge or a corner, identified by the direction from the block to the
/// neighbour across it. A side is a number, so it can index a std::array and be part of a message. The 2 N
/// faces come first: 2 d is the lower face in dimension d, 2 d + 1 the upper one. Edges and corners follow,
/// up to 3^N - 2.
template <int N>
class side {
 public:
  static constexpr int faces = 2 * N;                   ///< number of sides with one coordinate other than 0
  static constexpr int count = detail::count_sides(N);  ///< number of all sides, with edges and corners

  /// The lower face in dimension 0.
  constexpr side() = default;
  /// Throws imbrex::error if there is no side with this number.
  constexpr explicit side(int number) : number_(static_cast<std::int16_t>(number)) {
    if (number < 0 || number >= count) [[unlikely]]
      throw error("there is no side " + std::to_string(number) + " in " + std::to_string(N) +
                  " dimensions: they have sides 0 to " + std::to_string(count - 1));
  }

  constexpr int number() const { return number_; }  ///< Number of the side: faces first, then the others.
  /// True if one coordinate alone differs from 0.
  constexpr bool is_face() const { return number_ < faces; }
  /// The dimension of a face, and whether it is the upper face; only for faces.
  constexpr int dimension() const { return number_ / 2; }
  /// True if the face is at the end of its dimension, false if at the beginning.
  constexpr bool is_upper() const { return number_ % 2 == 1; }

  /// The offset from a block to its neighbour across this side: -1, 0 or 1 in each dimension.
  constexpr index<N> offset() const {
    index<N> o;
    if (is_face()) {
      o[dimension()] = is_upper() ? 1 : -1;
    } else {
      int code = detail::offsets_of_sides<N>[static_cast<std::size_t>(number_ - faces)];
      for (int d = N - 1; d >= 0; --d, code /= 3) o[d] = code % 3 - 1;
    }
    return o;
  }

  constexpr auto operator<=>(const side&) const = default;

  void serialize(auto& ar) {
    ar(number_);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading)
      if (number_ < 0 || number_ >= count)
        detail::throw_out_of_range("the number of a side", static_cast<std::uint16_t>(number_), count);
  }

 private:
  std::int16_t number_ = 0;
};

/// The side of the neighbour that touches side `s`.
template <int N>
constexpr side<N> opposite(side<N> s) {
  return side<N>(s.is_face() ? s.number() ^ 1 : side<N>::faces + side<N>::count - 1 - s.number());
}

/// The sides that have neighbours: 2 N faces, or all 3^N - 1 sides, with edges and corners.
enum class sides : std::uint8_t { faces, all };

/// For each dimension, true if the last index is followed by the first.
template <int N>
using periodic = std::array<bool, static_cast<std::size_t>(N)>;

/// The index across a side of `i` in an array of this shape. Empty beyond an end of a dimension that is not
/// periodic.
template <int N>
constexpr std::optional<index<N>> across(const index<N>& i, side<N> s, const index<N>& shape,
                                         const periodic<N>& around = {}) {
  const index<N> offset = s.offset();
  index<N> to = i;
  for (int d = 0; d < N; ++d) {
    const bool leaves = offset[d] < 0 ? i[d] == 0 : offset[d] > 0 && i[d] == shape[d] - 1;
    if (!leaves)
      to[d] += offset[d];
    else if (around[static_cast<std::size_t>(d)])
      to[d] = offset[d] < 0 ? shape[d] - 1 : 0;
    else
      return std::nullopt;
  }
  return to;
}

/// A neighbour's index, and the side across which it lies.
template <int N>
struct neighbour {
  index<N> where;          ///< index of the neighbour
  imbrex::side<N> across;  ///< side of the chare at which the neighbour lies

  constexpr bool operator==(const neighbour&) const = default;
};

/// The neighbours of `i` in an array of this shape, in order of their sides. In a periodic dimension of
/// extent 2 one neighbour lies across two sides; in one of extent 1 the neighbour is `i` itself. Each is
/// listed once for each side. Throws imbrex::error if `i` is outside the shape.
template <int N>
class neighbours {
 public:
  /// Visits the neighbours in the order of their sides.
  class iterator {
   public:
    using value_type = neighbour<N>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::input_iterator_tag;
    using reference = neighbour<N>;
    using pointer = void;

    constexpr iterator() = default;
    constexpr neighbour<N> operator*() const { return {*of_->at(side_), side<N>(side_)}; }
    constexpr iterator& operator++() {
      side_ = of_->next(side_ + 1);
      return *this;
    }
    constexpr iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    constexpr bool operator==(const iterator& other) const { return side_ == other.side_; }

   private:
    friend neighbours;
    constexpr iterator(const neighbours* of, int side) : of_(of), side_(side) {}

    const neighbours* of_ = nullptr;
    int side_ = 0;
  };

  /// `i`: the chare's index in an array of this shape. `which`: faces alone, or also edges and corners.
  constexpr neighbours(const index<N>& i, const index<N>& shape, sides which = sides::faces,
                       const periodic<N>& around = {})
      : index_(i),
        shape_(shape),
        periodic_(around),
        end_(which == sides::all ? side<N>::count : side<N>::faces) {
    if (!contains(shape, i)) [[unlikely]]
      throw error("index " + to_string(i) + " has no neighbours in an array of shape " + to_string(shape) +
                  ": it lies outside");
  }

  /// Iterators refer to this object.
  constexpr iterator begin() const { return {this, next(0)}; }
  constexpr iterator end() const { return {this, end_}; }
  constexpr int size() const {
    int n = 0;
    for (int s = next(0); s < end_; s = next(s + 1)) ++n;
    return n;
  }

 private:
  constexpr std::optional<index<N>> at(int s) const { return across(index_, side<N>(s), shape_, periodic_); }
  constexpr int next(int s) const {
    while (s < end_ && !at(s)) ++s;
    return s;
  }

  index<N> index_, shape_;
  periodic<N> periodic_;
  int end_;
};

}  // namespace imbrex

template <int N>
struct std::hash<imbrex::side<N>> {
  std::size_t operator()(imbrex::side<N> s) const noexcept { return static_cast<std::size_t>(s.number()); }
};
