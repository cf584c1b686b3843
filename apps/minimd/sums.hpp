// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace minimd {

/// A sum in units of 2^-60; the result does not depend on the order of the numbers.
class exact_sum {
 public:
  exact_sum() = default;
  explicit exact_sum(double value) { add(value); }

  void add(double value) { units_ += static_cast<__int128>(std::ldexp(value, 60)); }
  /// Adds `units` times 2^-41.
  void add_units(__int128 units) { units_ += units * (1 << 19); }
  double value() const { return std::ldexp(static_cast<double>(units_), -60); }
  exact_sum operator+(const exact_sum& other) const {
    exact_sum both;
    both.units_ = units_ + other.units_;
    return both;
  }
  void serialize(auto& ar) { ar(units_); }

 private:
  __int128 units_ = 0;
};

/// Sums over atoms at a step, in the units of the problem.
struct thermo_sums {
  std::int64_t step = 0;
  std::int64_t atoms = 0;
  exact_sum squares{};    ///< squares of velocities
  exact_sum potential{};  ///< potential energy
  exact_sum virial{};     ///< force times distance; each pair counts once

  thermo_sums operator+(const thermo_sums& other) const {
    return {step, atoms + other.atoms, squares + other.squares, potential + other.potential,
            virial + other.virial};
  }
};

}  // namespace minimd
