// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace imbrex {

/// A small generator that gives the same numbers for a seed on every platform: xoshiro256**, its state filled
/// by splitmix64 (Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47, 2021;
/// https://prng.di.unimi.it). A uniform random bit generator, as `std::shuffle` and the distributions of
/// `<random>` want one; their numbers differ between standard libraries. Not for secrets. One thread at a
/// time.
class random {
 public:
  using result_type = std::uint64_t;

  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }

  /// Equal seeds give equal numbers.
  explicit random(std::uint64_t seed) noexcept {
    for (auto& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
      z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
      word = z ^ (z >> 31U);
    }
  }

  /// 64 random bits.
  result_type operator()() noexcept {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// A number from 0 to n - 1, each equally likely; 0 if `n` is 0.
  std::uint64_t below(std::uint64_t n) noexcept {
    if (n <= 1) return 0;
    // Masking and redrawing has no bias and, unlike a remainder, no division.
    const std::uint64_t mask = ~std::uint64_t{0} >> std::countl_zero(n - 1);
    std::uint64_t drawn = (*this)() & mask;
    while (drawn >= n) drawn = (*this)() & mask;
    return drawn;
  }

 private:
  std::uint64_t state_[4];
};

}  // namespace imbrex
