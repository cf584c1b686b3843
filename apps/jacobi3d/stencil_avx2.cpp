// SPDX-License-Identifier: Apache-2.0
#if defined(__x86_64__)
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "apps/jacobi3d/stencil_variants.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#include "apps/jacobi3d/stencil_kernel.hpp"

namespace jacobi3d {
namespace {

struct avx2 {
  using vector = __m256d;
  using mask = __m256i;
  static constexpr std::size_t width = 4;

  static vector load(const double* from) { return _mm256_loadu_pd(from); }
  template <bool Streaming>
  static void store(double* to, vector value) {
    if constexpr (Streaming)
      _mm256_stream_pd(to, value);
    else
      _mm256_storeu_pd(to, value);
  }
  static void drain() { _mm_sfence(); }
  static vector broadcast(double value) { return _mm256_set1_pd(value); }
  static mask lanes() { return mask{0, 1, 2, 3}; }
  // value[index] is avoided: clang would read it back from the stored vector, which is slow after a streaming
  // store.
  static double lane(vector value, std::size_t index) {
    return index == 0 ? value[0] : index == 1 ? value[1] : index == 2 ? value[2] : value[3];
  }
  static vector behind(vector previous, vector current) {
    return __builtin_shufflevector(previous, current, 3, 4, 5, 6);
  }
  static vector ahead(vector current, vector next) {
    return __builtin_shufflevector(current, next, 1, 2, 3, 4);
  }
  static vector seventh(vector sum) { return sum / 7.0; }
  static vector magnitude(vector value) { return _mm256_andnot_pd(broadcast(-0.0), value); }
  static vector maximum(vector left, vector right) { return left > right ? left : right; }
};

}  // namespace

double sweep_part_avx2(const sweep_part_arguments& part) { return sweep_part_with<avx2>(part); }

}  // namespace jacobi3d

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
