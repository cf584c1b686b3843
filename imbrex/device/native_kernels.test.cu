// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/native_kernels.test.hpp>

#if IMBREX_GPU_HIP
#include <hip/hip_runtime.h>
using gpu_stream = hipStream_t;
#else
using gpu_stream = cudaStream_t;
#endif

namespace imbrex::test {
namespace {

__global__ void append_kernel(int* log, int length, int mark, long long cycles) {
  for (const long long start = clock64(); clock64() - start < cycles;) {
  }
  const int place = atomicAdd(log, 1) + 1;
  if (place < length) log[place] = mark;
}

__global__ void add_kernel(const int* from, int* to, int size, int number) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) to[i] = from[i] + number;
}

}  // namespace

void append_on_device(native_stream on, device_span<int> log, int mark, std::int64_t nanoseconds) {
  // Cycles at 2 GHz, which is more than GPUs have: the kernel takes at least the time.
  append_kernel<<<1, 1, 0, static_cast<gpu_stream>(on.handle)>>>(log.data(), static_cast<int>(log.size()),
                                                                 mark, 2 * nanoseconds);
}

void add_on_device(native_stream on, device_span<const int> from, device_span<int> to, int number) {
  const int size = static_cast<int>(to.size());
  constexpr int threads = 128;
  add_kernel<<<(size + threads - 1) / threads, threads, 0, static_cast<gpu_stream>(on.handle)>>>(
      from.data(), to.data(), size, number);
}

}  // namespace imbrex::test
