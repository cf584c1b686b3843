// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors of eight numbers, where the processor has them: functions marked MINIMD_AVX512 may be called where
// has_avx512() is true.

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#define MINIMD_HAS_AVX512 1
#define MINIMD_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma")))
#else
#define MINIMD_HAS_AVX512 0
#endif

namespace minimd {

inline bool has_avx512() {
#if MINIMD_HAS_AVX512
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  return has;
#else
  return false;
#endif
}

#if MINIMD_HAS_AVX512
/// The coordinates of eight atoms, of which each has four numbers.
struct eight_points {
  __m512d x, y, z;
};

MINIMD_AVX512 __attribute__((always_inline)) inline __m512d load_two(const double* positions, int a, int b) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(positions + std::ptrdiff_t{4} * a)),
                            _mm256_load_pd(positions + std::ptrdiff_t{4} * b), 1);
}

MINIMD_AVX512 __attribute__((always_inline)) inline eight_points load_points(const double* positions,
                                                                             const int* atoms) {
  // Each holds two atoms; lanes of 128 bits: x0 y0 | z0 - | x4 y4 | z4 -.
  const __m512d p04 = load_two(positions, atoms[0], atoms[4]), p15 = load_two(positions, atoms[1], atoms[5]),
                p26 = load_two(positions, atoms[2], atoms[6]), p37 = load_two(positions, atoms[3], atoms[7]);
  const __m512d xz01 = _mm512_unpacklo_pd(p04, p15);  // x0 x1 | z0 z1 | x4 x5 | z4 z5
  const __m512d y01 = _mm512_unpackhi_pd(p04, p15);   // y0 y1 | -     | y4 y5 | -
  const __m512d xz23 = _mm512_unpacklo_pd(p26, p37);
  const __m512d y23 = _mm512_unpackhi_pd(p26, p37);
  // Lanes 0 and 2 of both: x0 x1 x4 x5 x2 x3 x6 x7. The order does not matter, if it is the same for all.
  return {_mm512_shuffle_f64x2(xz01, xz23, 0x88), _mm512_shuffle_f64x2(y01, y23, 0x88),
          _mm512_shuffle_f64x2(xz01, xz23, 0xdd)};
}
#endif

}  // namespace minimd
