// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/curve_order.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace imbrex::balance {
namespace {

constexpr std::size_t most_dimensions = problem::most_dimensions;
constexpr int bits_of_keys = 60;
constexpr int most_bits = 20;  ///< the precision of a coordinate
constexpr int bits_of_digits = 11;

using point = std::array<std::uint32_t, most_dimensions>;

/// Maps coordinates to whole numbers of `bits` bits; whole coordinates of a small range keep their distances.
/// A fixed grid leaves them as they are if they are not negative. Its number of bits is a multiple of the
/// dimensions: each bit more renames the axes in turn, so that all such grids pass points alike.
struct grid {
  std::array<float, most_dimensions> least{};
  double scale = 1;
  int bits = 1;
};

grid grid_of(const problem& p, bool is_fixed) {
  const auto dimensions = static_cast<std::size_t>(p.dimensions);
  std::array<float, most_dimensions> least, most;
  least.fill(std::numeric_limits<float>::max());
  most.fill(std::numeric_limits<float>::lowest());
  bool whole = true;
  for (std::size_t i = 0; i < p.coordinates.size(); i += dimensions)
    for (std::size_t d = 0; d < dimensions; ++d) {
      const float at = p.coordinates[i + d];
      least[d] = std::min(least[d], at);
      most[d] = std::max(most[d], at);
      whole = whole && at == std::trunc(at);
    }
  double extent = 0;
  for (std::size_t d = 0; d < dimensions; ++d)
    extent = std::max(extent, static_cast<double>(most[d]) - static_cast<double>(least[d]));
  grid found;
  found.least = least;
  const int bits = std::min(most_bits, bits_of_keys / p.dimensions);
  const double cells = static_cast<double>((1U << static_cast<unsigned>(bits)) - 1);
  const auto [lowest, highest] = std::pair(*std::min_element(least.begin(), least.begin() + p.dimensions),
                                           *std::max_element(most.begin(), most.begin() + p.dimensions));
  const int bits_in_turns = bits / p.dimensions * p.dimensions;
  if (is_fixed && whole && lowest >= 0 &&
      highest < static_cast<float>(1U << static_cast<unsigned>(bits_in_turns))) {
    found.least = {};
    const int needed = static_cast<int>(std::bit_width(static_cast<std::uint32_t>(highest)));
    found.bits = std::max(1, (needed + p.dimensions - 1) / p.dimensions) * p.dimensions;
  } else if (whole && extent <= cells) {
    found.bits = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint32_t>(extent))));
  } else {
    found.bits = bits;
    found.scale = extent > 0 ? cells / extent : 0;
  }
  return found;
}

/// Skilling's transform: coordinates to the bits of the place on the curve, in the same array.
template <std::size_t Dimensions>
void transform(point& x, int bits) {
  const std::uint32_t top = 1U << static_cast<unsigned>(bits - 1);
  for (std::uint32_t bit = top; bit > 1; bit >>= 1U) {
    const std::uint32_t below = bit - 1;
    for (std::size_t d = 0; d < Dimensions; ++d) {
      const std::uint32_t swapped = (x[d] & bit) != 0 ? 0 : (x[0] ^ x[d]) & below;
      x[0] ^= (x[d] & bit) != 0 ? below : swapped;
      if (d != 0) x[d] ^= swapped;
    }
  }
  for (std::size_t d = 1; d < Dimensions; ++d) x[d] ^= x[d - 1];
  std::uint32_t flipped = 0;
  for (std::uint32_t bit = top; bit > 1; bit >>= 1U)
    if ((x[Dimensions - 1] & bit) != 0) flipped ^= bit - 1;
  for (std::size_t d = 0; d < Dimensions; ++d) x[d] ^= flipped;
}

struct keyed {
  std::uint64_t key;
  std::uint32_t object;
};

template <std::size_t Dimensions>
void set_keys(const problem& p, const grid& on, std::vector<keyed>& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    point x{};
    for (std::size_t d = 0; d < Dimensions; ++d)
      x[d] = static_cast<std::uint32_t>(
          (static_cast<double>(p.coordinates[i * Dimensions + d]) - static_cast<double>(on.least[d])) *
          on.scale);
    transform<Dimensions>(x, on.bits);
    std::uint64_t key = 0;
    for (int bit = on.bits - 1; bit >= 0; --bit)
      for (std::size_t d = 0; d < Dimensions; ++d)
        key = key << 1U | (x[d] >> static_cast<unsigned>(bit) & 1U);
    keys[i] = {key, static_cast<std::uint32_t>(i)};
  }
}

void set_keys(const problem& p, const grid& on, std::vector<keyed>& keys) {
  switch (p.dimensions) {
    case 1: return set_keys<1>(p, on, keys);
    case 2: return set_keys<2>(p, on, keys);
    case 3: return set_keys<3>(p, on, keys);
    case 4: return set_keys<4>(p, on, keys);
    case 5: return set_keys<5>(p, on, keys);
    default: return set_keys<6>(p, on, keys);
  }
}

/// Sorts by the last `bits` bits of the keys; equal ones keep their order.
void sort_by_key(std::vector<keyed>& keys, int bits) {
  constexpr std::size_t digits = std::size_t{1} << static_cast<unsigned>(bits_of_digits);
  std::vector<keyed> sorted(keys.size());
  for (int shift = 0; shift < bits; shift += bits_of_digits) {
    const auto digit = [shift](const keyed& k) {
      return static_cast<std::size_t>(k.key >> static_cast<unsigned>(shift)) & (digits - 1);
    };
    std::array<std::size_t, digits + 1> start{};
    for (const keyed& k : keys) ++start[digit(k) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    for (const keyed& k : keys) sorted[start[digit(k)]++] = k;
    keys.swap(sorted);
  }
}

}  // namespace

std::vector<std::uint64_t> places_on_curve(const problem& p) {
  std::vector<std::uint64_t> places(p.size());
  if (p.dimensions == 0 || p.size() == 0) {
    std::iota(places.begin(), places.end(), std::uint64_t{0});
    return places;
  }
  std::vector<keyed> keys(p.size());
  set_keys(p, grid_of(p, true), keys);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = keys[i].key;
  return places;
}

std::vector<std::uint32_t> curve_order(const problem& p) {
  std::vector<std::uint32_t> order(p.size());
  if (p.dimensions == 0 || p.size() == 0) {
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    return order;
  }
  const grid on = grid_of(p, false);
  std::vector<keyed> keys(p.size());
  set_keys(p, on, keys);
  sort_by_key(keys, on.bits * p.dimensions);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = keys[i].object;
  return order;
}

}  // namespace imbrex::balance
