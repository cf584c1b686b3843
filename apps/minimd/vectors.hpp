// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors of eight numbers with AVX-512. Functions marked MINIMD_AVX512 may be called only if has_avx512() is
// true.

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
/// Four numbers of eight rows: all first numbers, all second ones, and so on.
struct eight_rows {
  __m512d first, second, third, fourth;
};

MINIMD_AVX512 __attribute__((always_inline)) inline __m512d load_two(const double* a, const double* b) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(a)), _mm256_load_pd(b), 1);
}

/// Loads the first four numbers of eight rows of `width` numbers, for example coordinates of atoms; `numbers`
/// are the row indices. Unused results cost nothing, since the function is inlined.
template <std::ptrdiff_t width = 4>
MINIMD_AVX512 __attribute__((always_inline)) inline eight_rows load_rows(const double* rows,
                                                                         const int* numbers) {
  const auto two = [&](int a, int b) MINIMD_AVX512 __attribute__((always_inline)) {
    return load_two(rows + width * numbers[a], rows + width * numbers[b]);
  };
  // Lanes of 128 bits: r02 is x0 y0 | z0 w0 | x2 y2 | z2 w2; the others likewise.
  const __m512d r02 = two(0, 2), r13 = two(1, 3), r46 = two(4, 6), r57 = two(5, 7);
  const __m512d xz03 = _mm512_unpacklo_pd(r02, r13);  // x0 x1 | z0 z1 | x2 x3 | z2 z3
  const __m512d yw03 = _mm512_unpackhi_pd(r02, r13);
  const __m512d xz47 = _mm512_unpacklo_pd(r46, r57);
  const __m512d yw47 = _mm512_unpackhi_pd(r46, r57);
  return {_mm512_shuffle_f64x2(xz03, xz47, 0x88), _mm512_shuffle_f64x2(yw03, yw47, 0x88),
          _mm512_shuffle_f64x2(xz03, xz47, 0xdd), _mm512_shuffle_f64x2(yw03, yw47, 0xdd)};
}
#endif

}  // namespace minimd
