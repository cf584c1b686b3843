// SPDX-License-Identifier: Apache-2.0
#pragma once
// Expected ghost cells after an exchange, computed one by one from the documentation.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <imbrex/base/random.hpp>
#include <imbrex/grid/boundaries.hpp>
#include <imbrex/grid/decomposition.hpp>
#include <imbrex/grid/field.hpp>

namespace imbrex::grid::halo_test {

/// Behaviour of a block between the two halves of an exchange, and after it.
enum class habit : std::uint8_t { stays, leaves_between_halves, leaves_between_steps, gives_up_at_times };

template <int N>
struct plan {
  decomposition<N> cut;
  boundaries<N> ends;
  bool corners = false;
  std::array<index<N>, 2> width{};
  habit does = habit::stays;
  std::uint64_t seed = 0;
};

/// Value of cells that no exchange has changed.
constexpr int untouched = 99;

template <int N>
int own_value(std::int64_t step, int field, const index<N>& cell) {
  return static_cast<int>((std::hash<index<N>>()(cell) + static_cast<std::size_t>(step * 13 + field * 7)) %
                          50);
}

template <int N>
int value_at_end(const outer_cell<N>& outer, int mirrored) {
  int sum = 5 * outer.across.number() + 3 * mirrored + 11 * outer.field;
  for (int d = 0; d < N; ++d) sum += (d + 1) * outer.where[d];
  return (sum % 50 + 50) % 50;
}

/// Value of a cell after an exchange, according to the documentation. Beyond ends of the grid, the last
/// dimension decides how the value mirrored there is used.
template <int N>
int expected_value(const plan<N>& p, const box<N>& block, std::int64_t step, int field,
                   const index<N>& cell) {
  int outer_dimensions = 0, last_end = -1;
  const index<N> extents = p.cut.extents();
  index<N> wrapped = cell;
  for (int d = 0; d < N; ++d) {
    const bool below = cell[d] < block.origin[d], above = cell[d] >= block.origin[d] + block.extents[d];
    if (!below && !above) continue;
    ++outer_dimensions;
    if (cell[d] >= 0 && cell[d] < extents[d]) continue;
    const boundary kind = p.ends[side<N>(2 * d + (above ? 1 : 0))];
    if (kind == boundary::open) return untouched;
    if (kind == boundary::periodic)
      wrapped[d] += below ? extents[d] : -extents[d];
    else
      last_end = 2 * d + (above ? 1 : 0);
  }
  if (outer_dimensions > 1 && !p.corners) return untouched;
  if (last_end < 0) return own_value(step, field, wrapped);
  const int d = last_end / 2;
  index<N> mirror = cell;
  mirror[d] = last_end % 2 == 0 ? -1 - cell[d] : 2 * extents[d] - 1 - cell[d];
  const int mirrored = expected_value(p, block, step, field, mirror);
  if (p.ends[side<N>(last_end)] == boundary::reflecting) return mirrored;
  return value_at_end(outer_cell<N>{cell, side<N>(last_end), field}, mirrored);
}

/// `kinds` is the number of boundaries to choose from besides periodic ones: open, reflecting, function.
template <int N>
plan<N> random_plan(std::uint64_t seed, int kinds = 3) {
  random dice(seed);
  const auto up_to = [&](int most) {
    return static_cast<int>(dice.below(static_cast<std::uint64_t>(most) + 1));
  };
  plan<N> p;
  p.seed = seed;
  std::array<std::vector<int>, static_cast<std::size_t>(N)> lengths;
  const int longest = N == 1 ? 9 : N == 2 ? 5 : 3;
  const bool has_thin_blocks = up_to(2) == 0;
  for (auto& of_dimension : lengths) {
    for (int blocks = 1 + up_to(N == 3 ? 1 : 3); blocks > 0; --blocks)
      of_dimension.push_back(has_thin_blocks ? 1 + up_to(1) : 2 + up_to(longest));
  }
  p.cut = decomposition<N>(lengths);
  p.corners = up_to(1) == 1;
  for (int d = 0; d < N; ++d) {
    if (up_to(2) == 0)
      p.ends.set(d, boundary::periodic);
    else
      for (const int face : {2 * d, 2 * d + 1}) {
        const int kind = up_to(kinds - 1);
        p.ends.set(side<N>(face), kind == 0   ? boundary::open
                                  : kind == 1 ? boundary::reflecting
                                              : boundary::function);
      }
    for (auto& width : p.width) width[d] = std::min(up_to(2) == 0 ? 0 : 1 + up_to(2), p.cut.least()[d]);
  }
  p.does = static_cast<habit>(up_to(3));
  return p;
}

}  // namespace imbrex::grid::halo_test
