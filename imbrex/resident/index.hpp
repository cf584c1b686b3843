// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident {

/// Index of an element in an N-dimensional array, or the extents of an array, 1 <= N <= 3. This is the
/// device's version of `imbrex::index`, without checks. In the order of elements the last dimension varies
/// fastest.
template <int N>
class index {
  static_assert(N >= 1 && N <= 3, "imbrex: an array inside a GPU has 1 to 3 dimensions");

 public:
  static constexpr int dimensions = N;  ///< number of coordinates

  IMBREX_DEVICE constexpr index() : values_{} {}  ///< All coordinates are 0.
  template <class... I>
  IMBREX_DEVICE constexpr index(int first, I... others) : values_{first, static_cast<int>(others)...} {
    static_assert(sizeof...(I) + 1 == N, "imbrex: an index has one number for each dimension");
  }

  IMBREX_DEVICE constexpr int operator[](int dimension) const { return values_[dimension]; }
  IMBREX_DEVICE constexpr int& operator[](int dimension) { return values_[dimension]; }
  friend IMBREX_DEVICE constexpr bool operator==(const index& a, const index& b) {
    for (int d = 0; d < N; ++d)
      if (a[d] != b[d]) return false;
    return true;
  }
  friend IMBREX_DEVICE constexpr bool operator!=(const index& a, const index& b) { return !(a == b); }

 private:
  int values_[N];
};

/// Divides numbers below 2^24 by a divisor known beforehand, with a multiplication and a shift.
struct divisor {
  std::uint32_t multiplier = 1;  ///< factor that stands for the division
  std::uint32_t shift = 0;       ///< bits by which the product is shifted

  divisor() = default;
  /// 1 <= by <= 2^24.
  explicit divisor(std::uint32_t by) : shift(24) {
    while ((std::uint32_t{1} << (shift - 24)) < by) ++shift;
    multiplier = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) + by - 1) / by);
  }
  /// n divided by the number, rounded down.
  IMBREX_DEVICE std::uint32_t quotient(std::uint32_t n) const {
    return static_cast<std::uint32_t>((std::uint64_t{n} * multiplier) >> shift);
  }
};

}  // namespace imbrex::resident
