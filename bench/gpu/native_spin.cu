// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/native_spin.hpp"

#if IMBREX_GPU_HIP
#include <hip/hip_runtime.h>
using gpu_stream = hipStream_t;
#else
using gpu_stream = cudaStream_t;
#endif

namespace bench {
namespace {

// Real time, not clock cycles: the cycle rate depends on the device's recent work.
__device__ inline long long now() {
#if IMBREX_GPU_HIP
  return 10 * static_cast<long long>(__builtin_amdgcn_s_memrealtime());  // ticks of 100 MHz
#else
  long long nanoseconds = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
#endif
}

__global__ void spin_kernel(unsigned* word, unsigned value, long long nanoseconds) {
  for (const long long start = now(); now() - start < nanoseconds;) {
  }
  *static_cast<volatile unsigned*>(word) = value;
}

}  // namespace

void spin_on_device(imbrex::native_stream on, std::atomic<std::uint32_t>* word, std::uint32_t value,
                    std::int64_t nanoseconds) {
  spin_kernel<<<1, 1, 0, static_cast<gpu_stream>(on.handle)>>>(reinterpret_cast<unsigned*>(word), value,
                                                               nanoseconds);
}

}  // namespace bench
