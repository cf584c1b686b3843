// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include <imbrex/core/name/bricks.hpp>
#include <imbrex/core/name/key.hpp>

namespace imbrex {

namespace detail {
using extent = narrowed<int, index_words>;

struct placement_words {
  static constexpr const char* what = "the placement of an array gave a PE that does not exist:";
  static constexpr const char* remedy = "a run has PEs 0 to num_pes() - 1";
};
}  // namespace detail

/// Places equal, consecutive blocks of an array on the PEs, in index order (the default in one dimension, and
/// in more than three).
struct block_placement {};
/// Like block_placement, but in an order in which each node gets a brick: a box of neighbours, so that few of
/// them are on other nodes. The default in two and three dimensions. In a run on one node, and with
/// `--placement blocks`, the order is that of the indices.
struct brick_placement {};
/// Places the elements on the PEs in round-robin order.
struct round_robin_placement {};

/// gives each PE a block of neighbouring elements; the default in one dimension
inline constexpr block_placement in_blocks{};
/// gives each node a box of neighbouring elements, and each PE of it a block of them
inline constexpr brick_placement in_bricks{};
inline constexpr round_robin_placement round_robin{};  ///< gives element i to PE i modulo the number of PEs

namespace detail {

/// The placement of arrays whose layout names none.
template <class Index>
using usual_placement = std::conditional_t<has_bricks<Index>, brick_placement, block_placement>;

/// Throws imbrex::error if an array cannot have this name.
void check_array_name(std::string_view name);

/// The layout of a new array: its shape, whether its elements exist from the start, their placement, and the
/// array's name. `Placement` is block_placement, brick_placement, round_robin_placement or a stateless
/// function object `int operator()(const Index& where, const Index& shape, int num_pes)` (for user-defined
/// keys: `(const Key&, int)`).
template <class Index, class Placement, bool IsSparse>
struct layout {
  [[no_unique_address]] Index shape;
  std::string name{};  ///< empty: the array has none

  /// This layout for an array with a name, by which a checkpoint finds the array again. No other array of the
  /// run has the name. Throws imbrex::error if the name is empty.
  layout named(std::string_view its_name) const {
    check_array_name(its_name);
    return {shape, std::string(its_name)};
  }

  /// This layout with another placement.
  template <class Other>
  layout<Index, Other, IsSparse> placed(Other) const {
    static_assert(
        std::is_empty_v<Other> && std::is_default_constructible_v<Other>,
        "imbrex: a placement must have no state: it travels as a type. Use a lambda without captures");
    static_assert(is_index<Index> || std::is_invocable_r_v<int, const Other&, const Index&, int>,
                  "imbrex: a placement of keys is `int operator()(const Key&, int num_pes)`; in_blocks, "
                  "in_bricks and round_robin are for indices");
    return {shape, name};
  }
};

}  // namespace detail

/// A layout whose elements all exist from the start; add `placed` to choose the placement.
template <class Index>
  requires enable_index<Index>
detail::layout<Index, detail::usual_placement<Index>, false> dense(const Index& shape) {
  return {shape};
}
inline detail::layout<index<1>, block_placement, false> dense(detail::extent elements) {
  return {index<1>(int{elements})};
}

/// A layout without initial elements; `insert` creates them, anywhere inside the shape.
template <class Index>
  requires enable_index<Index>
detail::layout<Index, detail::usual_placement<Index>, true> sparse(const Index& shape) {
  return {shape};
}
inline detail::layout<index<1>, block_placement, true> sparse(detail::extent bound) {
  return {index<1>(int{bound})};
}

/// A layout without initial elements, for user-defined keys. A hash places them unless `placed` gives a
/// function.
template <class Key>
detail::layout<Key, block_placement, true> keyed() {
  return {Key{}};
}

namespace detail {

// For products that may exceed 64 bits; not a standard type, so `__extension__` prevents a g++ warning.
__extension__ using wide_number = unsigned __int128;

/// The placement of groups: element i stays on PE i.
struct pinned_placement {};

/// True if elements with this placement never leave their PEs.
template <class Placement>
inline constexpr bool stays_on_its_pe = std::is_same_v<Placement, pinned_placement>;

template <class Placement>
inline constexpr bool deals_in_turn =
    std::is_same_v<Placement, round_robin_placement> || std::is_same_v<Placement, pinned_placement>;

[[noreturn]] void throw_wrong_placement(int pe, int num_pes);

/// The result of a placement, which may have another integer type.
inline int placed_on(narrowed<int, placement_words> pe) { return pe; }

/// The shape of an array, with its bricks if it may have some; for keys of the user, an empty key.
template <class Index>
using placed_shape = std::conditional_t<has_bricks<Index>, bricked_shape<Index>, Index>;

/// The shape alone.
template <class Index>
constexpr const Index& whole_shape(const placed_shape<Index>& placed) {
  if constexpr (has_bricks<Index>)
    return placed.shape;
  else
    return placed;
}

/// The placement that does the work: index order where nothing is cut.
template <class Index, class Placement>
using effective_placement =
    std::conditional_t<std::is_same_v<Placement, brick_placement> && !has_bricks<Index>, block_placement,
                       Placement>;

/// The home of an element: the PE that creates it and keeps track of it. A key outside the shape gives some
/// PE, too.
template <class Index, class Placement>
int home_of(const key_type<Index>& k, const placed_shape<Index>& placed, int pes) {
  const auto n = static_cast<std::uint64_t>(pes);
  if constexpr (!is_index<Index>) {
    if constexpr (std::is_invocable_r_v<int, const Placement&, const Index&, int>) {
      const int pe = placed_on(Placement{}(k, pes));
      if (pe < 0 || pe >= pes) throw_wrong_placement(pe, pes);
      return pe;
    } else {
      return static_cast<int>((key_hash(k) >> 32U) % n);
    }
  } else if constexpr (deals_in_turn<Placement>) {
    return static_cast<int>(k % n);
  } else if constexpr (std::is_same_v<Placement, block_placement>) {
    // PE p has the elements from p * volume / n on; this is the inverse of that division.
    const std::uint64_t all = volume(whole_shape<Index>(placed));
    const std::uint64_t pe = all <= std::numeric_limits<std::uint32_t>::max()  // fits since n does
                                 ? ((k + 1) * n - 1) / all
                                 : static_cast<std::uint64_t>(((wide_number{k} + 1) * n - 1) / all);
    return static_cast<int>(pe < n ? pe : n - 1);
  } else if constexpr (std::is_same_v<Placement, brick_placement>) {
    return home_of<Index, block_placement>(number_in_bricks(placed, k), placed, pes);
  } else {
    const int pe =
        placed_on(Placement{}(from_linear(whole_shape<Index>(placed), k), whole_shape<Index>(placed), pes));
    if (pe < 0 || pe >= pes) throw_wrong_placement(pe, pes);
    return pe;
  }
}

template <class Index>
using home_function = int (*)(const key_type<Index>&, const placed_shape<Index>&, int);

/// `home_of` of an array. Without bricks the index order is cheaper.
template <class Index, class Placement>
home_function<Index> home_function_of([[maybe_unused]] const placed_shape<Index>& placed) {
  using effective = effective_placement<Index, Placement>;
  if constexpr (std::is_same_v<effective, brick_placement>)
    if (!placed.is_cut()) return &home_of<Index, block_placement>;
  return &home_of<Index, effective>;
}

/// Calls `visit(linear number)` for each element that a dense array has on a PE. O(elements there), but O(all
/// elements) for user-defined placements.
template <class Placement, class Index, class Visitor>
void for_each_on(const placed_shape<Index>& placed, int pe, int pes, Visitor visit) {
  using effective = effective_placement<Index, Placement>;
  const std::uint64_t all = volume(whole_shape<Index>(placed));
  const auto p = static_cast<std::uint64_t>(pe);
  const auto n = static_cast<std::uint64_t>(pes);
  if constexpr (deals_in_turn<effective>) {
    for (std::uint64_t l = p; l < all; l += n) visit(l);
  } else if constexpr (std::is_same_v<effective, block_placement> ||
                       std::is_same_v<effective, brick_placement>) {
    const auto begin = static_cast<std::uint64_t>(static_cast<wide_number>(all) * p / n);
    const auto end = static_cast<std::uint64_t>(static_cast<wide_number>(all) * (p + 1) / n);
    if constexpr (std::is_same_v<effective, brick_placement>) {
      const bool is_cut = placed.is_cut();
      for (std::uint64_t l = begin; l < end; ++l) visit(is_cut ? linear_in_bricks(placed, l) : l);
    } else {
      for (std::uint64_t l = begin; l < end; ++l) visit(l);
    }
  } else {
    for (std::uint64_t l = 0; l < all; ++l)
      if (home_of<Index, effective>(l, placed, pes) == pe) visit(l);
  }
}

}  // namespace detail
}  // namespace imbrex
