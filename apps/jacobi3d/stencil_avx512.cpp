// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "apps/jacobi3d/stencil_variants.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f"))), apply_to = function)
#else
#pragma GCC target("avx512f")
#endif

#include "apps/jacobi3d/stencil_kernel.hpp"

namespace jacobi3d {
namespace {

struct avx512 {
  using vector = __m512d;
  using mask = __m512i;
  static constexpr std::size_t width = 8;

  static vector load(const double* from) { return _mm512_loadu_pd(from); }
  template <bool Streaming>
  static void store(double* to, vector value) {
    if constexpr (Streaming)
      _mm512_stream_pd(to, value);
    else
      _mm512_storeu_pd(to, value);
  }
  static void drain() { _mm_sfence(); }
  static vector broadcast(double value) { return _mm512_set1_pd(value); }
  static mask lanes() { return mask{0, 1, 2, 3, 4, 5, 6, 7}; }
  // value[index] is avoided: clang would read it back from the stored vector, which is slow after a streaming
  // store.
  static double lane(vector value, std::size_t index) {
    return _mm512_cvtsd_f64(_mm512_permutexvar_pd(_mm512_set1_epi64(std::int64_t(index)), value));
  }
  static vector behind(vector previous, vector current) {
    return __builtin_shufflevector(previous, current, 7, 8, 9, 10, 11, 12, 13, 14);
  }
  static vector ahead(vector current, vector next) {
    return __builtin_shufflevector(current, next, 1, 2, 3, 4, 5, 6, 7, 8);
  }
  static vector seventh(vector sum) { return sum / 7.0; }
  static vector magnitude(vector value) { return _mm512_abs_pd(value); }
  static vector maximum(vector left, vector right) { return left > right ? left : right; }
};

}  // namespace

double sweep_part_avx512(const sweep_part_arguments& part) { return sweep_part_with<avx512>(part); }

}  // namespace jacobi3d

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
