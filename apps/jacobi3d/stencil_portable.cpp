// SPDX-License-Identifier: Apache-2.0
// Vectors of 16 bytes, which every 64-bit processor has.
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "apps/jacobi3d/stencil_kernel.hpp"

namespace jacobi3d {
namespace {

struct portable {
  using vector [[gnu::vector_size(16)]] = double;
  using mask [[gnu::vector_size(16)]] = long long;
  using unaligned [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]] = double;
  static constexpr std::size_t width = 2;

  static vector load(const double* from) { return *reinterpret_cast<const unaligned*>(from); }
  template <bool Streaming>
  static void store(double* to, vector value) {
#if defined(__SSE2__)
    if constexpr (Streaming) return _mm_stream_pd(to, value);
#endif
    *reinterpret_cast<unaligned*>(to) = value;
  }
  static void drain() {
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }
  static vector broadcast(double value) { return vector{value, value}; }
  static mask lanes() { return mask{0, 1}; }
  static double lane(vector value, std::size_t index) { return index == 0 ? value[0] : value[1]; }
  static vector behind(vector previous, vector current) { return vector{previous[1], current[0]}; }
  static vector ahead(vector current, vector next) { return vector{current[1], next[0]}; }
  static vector seventh(vector sum) { return sum / 7.0; }
  static vector magnitude(vector value) { return value < 0.0 ? -value : value; }
  static vector maximum(vector left, vector right) { return left > right ? left : right; }
};

}  // namespace

double sweep_part_portable(const sweep_part_arguments& part) { return sweep_part_with<portable>(part); }

}  // namespace jacobi3d
