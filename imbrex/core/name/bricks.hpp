// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include <imbrex/core/name/index.hpp>
#include <imbrex/serial/error.hpp>

namespace imbrex::detail {

// An array in bricks is cut into equal boxes, those at the upper ends being smaller, and each brick into
// equal parts. Its elements have an order: brick after brick, part after part of a brick, and in index order
// inside a part. PEs get equal, consecutive pieces of that order, so a node gets about one brick, and a PE
// about one part. One brick of one part leaves the index order.

/// True if arrays with this index type may be cut: those of two and three dimensions, and those whose number
/// of dimensions is known at run time only.
template <class Index>
inline constexpr bool has_bricks =
    is_index<Index> && (dimensions_of<Index> == 0 || dimensions_of<Index> == 2 || dimensions_of<Index> == 3);

/// The shape of an array, and those of its bricks and their parts.
template <class Index>
struct bricked_shape {
  Index shape{};
  Index brick{};
  Index part{};

  bricked_shape() = default;
  /// One brick of one part.
  bricked_shape(const Index& whole) : shape(whole), brick(whole), part(whole) {}
  bricked_shape(const Index& whole, const Index& of_node, const Index& of_pe)
      : shape(whole), brick(of_node), part(of_pe) {}

  bool is_cut() const {
    for (int d = 0; d < shape.dimensions; ++d)
      if (part[d] != shape[d]) return true;
    return false;
  }
  void serialize(auto& ar) {
    ar(shape, brick, part);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) {
      check_lengths(brick, shape);
      check_lengths(part, brick);
    }
  }

 private:
  static void check_lengths(const Index& of, const Index& within) {
    for (int d = 0; d < within.dimensions; ++d)
      if (of[d] != within[d] && (of[d] < 1 || of[d] > within[d]))
        throw_out_of_range("the length of a brick", static_cast<std::uint64_t>(of[d]),
                           static_cast<std::uint64_t>(within[d]));
  }
};

/// The lengths of the bricks of an array, and of their parts.
struct brick_lengths {
  std::vector<int> brick, part;

  bool is_cut(std::span<const int> shape) const;
};

/// The bricks for which the least number of faces between neighbours lies between nodes, and then between
/// PEs. Only arrays of two and three dimensions on several nodes are cut. A function of its arguments alone:
/// all processes agree on it. `node_starts`: the first PE of each node, ascending from 0.
brick_lengths lengths_of_bricks(std::span<const int> shape, int pes, std::span<const int> node_starts);

/// The number of each element of an array in the order of its bricks, by its linear number. O(elements).
std::vector<std::uint64_t> order_of_bricks(std::span<const int> shape, const brick_lengths& lengths);

/// Numbers of faces between neighbours that lie between nodes, and between PEs.
struct cut_faces {
  std::uint64_t nodes = 0, pes = 0;
  auto operator<=>(const cut_faces&) const = default;
};

/// The faces that bricks leave. O(elements).
cut_faces count_cut_faces(std::span<const int> shape, const brick_lengths& lengths, int pes,
                          std::span<const int> node_starts);

/// Cuts an array into bricks.
template <class Index>
bricked_shape<Index> cut_into_bricks(const Index& shape, int pes, std::span<const int> node_starts) {
  bricked_shape<Index> cut(shape);
  if (node_starts.size() < 2) return cut;
  std::array<int, 6> lengths{};
  for (int d = 0; d < shape.dimensions; ++d) lengths[static_cast<std::size_t>(d)] = shape[d];
  const brick_lengths chosen =
      lengths_of_bricks({lengths.data(), static_cast<std::size_t>(shape.dimensions)}, pes, node_starts);
  for (int d = 0; d < shape.dimensions; ++d) {
    cut.brick[d] = chosen.brick[static_cast<std::size_t>(d)];
    cut.part[d] = chosen.part[static_cast<std::size_t>(d)];
  }
  return cut;
}

/// Goes from a box to its brick that has the element `at`: `box` becomes the brick's shape, and `at` the
/// place in it. Returns the number of elements in earlier bricks.
template <class Index>
std::uint64_t enter_brick(Index& box, Index& at, const Index& brick) {
  std::uint64_t of_rest = volume(box), of_slab = 1, earlier = 0;
  for (int d = 0; d < box.dimensions; ++d) {
    const int begin = at[d] - at[d] % brick[d];
    of_rest /= static_cast<std::uint64_t>(box[d]);
    earlier += static_cast<std::uint64_t>(begin) * of_slab * of_rest;
    at[d] -= begin;
    box[d] = brick[d] < box[d] - begin ? brick[d] : box[d] - begin;
    of_slab *= static_cast<std::uint64_t>(box[d]);
  }
  return earlier;
}

/// Goes from a box to its brick that has the element with this number: `box` becomes the brick's shape,
/// `number` the one in the brick, and the brick's place is added to `origin`.
template <class Index>
void enter_brick_of(Index& box, std::uint64_t& number, Index& origin, const Index& brick) {
  std::uint64_t of_rest = volume(box), of_slab = 1;
  for (int d = 0; d < box.dimensions; ++d) {
    of_rest /= static_cast<std::uint64_t>(box[d]);
    const int at = static_cast<int>(number / (of_slab * of_rest));
    const int begin = at - at % brick[d];
    number -= static_cast<std::uint64_t>(begin) * of_slab * of_rest;
    origin[d] += begin;
    box[d] = brick[d] < box[d] - begin ? brick[d] : box[d] - begin;
    of_slab *= static_cast<std::uint64_t>(box[d]);
  }
}

/// The number of an element in the order of the bricks, from its linear number.
template <class Index>
std::uint64_t number_in_bricks(const bricked_shape<Index>& cut, std::uint64_t linear_number) {
  Index box = cut.shape, at = from_linear(cut.shape, linear_number);
  const std::uint64_t earlier = enter_brick(box, at, cut.brick);
  return earlier + enter_brick(box, at, cut.part) + linear(box, at);
}

/// The linear number of an element, from its number in the order of the bricks.
template <class Index>
std::uint64_t linear_in_bricks(const bricked_shape<Index>& cut, std::uint64_t number) {
  Index box = cut.shape, origin = cut.shape;
  for (int d = 0; d < box.dimensions; ++d) origin[d] = 0;
  enter_brick_of(box, number, origin, cut.brick);
  enter_brick_of(box, number, origin, cut.part);
  const Index inside = from_linear(box, number);
  for (int d = 0; d < box.dimensions; ++d) origin[d] += inside[d];
  return linear(cut.shape, origin);
}

}  // namespace imbrex::detail
