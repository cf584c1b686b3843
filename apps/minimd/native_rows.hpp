// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/minimd/device_layout.hpp"

#if IMBREX_GPU_HIP
#include <hip/hip_runtime.h>
using gpu_stream = hipStream_t;
#else
using gpu_stream = cudaStream_t;
#endif

namespace minimd {

// Access of kernels to atoms. This header is only for files that the device's compiler compiles.

constexpr unsigned threads_of_block = 128;

inline unsigned blocks_for(std::size_t threads) {
  return unsigned((threads + threads_of_block - 1) / threads_of_block);
}

// An atom's first three numbers. The four numbers fill a sector of 32 bytes, read by two loads of 16.
struct row {
  double x, y, z;
};

__device__ inline row load(const double* rows, std::int64_t atom) {
  const double2* const at = reinterpret_cast<const double2*>(rows + 4 * atom);
  const double2 low = at[0], high = at[1];
  return {low.x, low.y, high.x};
}

__device__ inline void store(double* rows, std::int64_t atom, const row& r) {
  double2* const at = reinterpret_cast<double2*>(rows + 4 * atom);
  at[0] = make_double2(r.x, r.y);
  at[1] = make_double2(r.z, 0);
}

__device__ inline std::int64_t own_number() { return std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }

// Address of value `i` in the messages; each value has `numbers` numbers.
template <int numbers>
__device__ inline double* place_of(const message_places& all, std::int64_t i) {
  int in = 0;
  std::int64_t first = 0;
  while (i >= all.end[in]) first = all.end[in++];
  return all.at[in] + numbers * (i - first);
}

}  // namespace minimd
