// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define JACOBI3D_EVERYWHERE __host__ __device__
#else
#define JACOBI3D_EVERYWHERE
#endif

namespace jacobi3d {

/// sum / 7.0, bit for bit (but for which NaN it is), in a way that takes GPUs the same short time for every
/// sum. Their own division calls a slow function where the numerator is 0 or tiny, as most cells are when a
/// grid starts cold.
///
/// The quotient is first within one unit in its last place: 1/7 rounds with an error of 2^-54 of its value.
/// What is left of the sum is then exact in one fused multiply-add, and adding its seventh in another rounds
/// as the true quotient does (Markstein's theorem; where the quotient is subnormal as well, for the seventh
/// of no number lies half way between two of those). Infinities, whose rest is NaN, and the sign of -0 are
/// seen to apart.
JACOBI3D_EVERYWHERE inline double seventh(double sum) {
  constexpr double reciprocal = 1.0 / 7.0;
  const double quotient = sum * reciprocal;
  const double rest = std::fma(-7.0, quotient, sum);
  const double rounded = std::fma(rest, reciprocal, quotient);
  return std::isfinite(sum) ? std::copysign(rounded, sum) : quotient;
}

}  // namespace jacobi3d

#undef JACOBI3D_EVERYWHERE
