// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define JACOBI3D_EVERYWHERE __host__ __device__
#else
#define JACOBI3D_EVERYWHERE
#endif

namespace jacobi3d {

/// sum / 7.0, bit for bit (except the payload of NaN), computed by GPUs in the same short time for every sum.
/// A GPU's own division calls a slow function if the numerator is 0 or tiny, as most cells are when a grid
/// starts cold.
///
/// The first quotient is within one unit in its last place: 1/7 rounds with a relative error of 2^-54. The
/// remainder is then exact in one fused multiply-add. A second one adds a seventh of it, and rounds as the
/// true quotient does (Markstein's theorem). This also holds for subnormal quotients, since the seventh of no
/// number is half way between two of them. Infinities, whose remainder is NaN, and the sign of -0 are handled
/// separately.
JACOBI3D_EVERYWHERE inline double seventh(double sum) {
  constexpr double reciprocal = 1.0 / 7.0;
  const double quotient = sum * reciprocal;
  const double rest = std::fma(-7.0, quotient, sum);
  const double rounded = std::fma(rest, reciprocal, quotient);
  return std::isfinite(sum) ? std::copysign(rounded, sum) : quotient;
}

}  // namespace jacobi3d

#undef JACOBI3D_EVERYWHERE
