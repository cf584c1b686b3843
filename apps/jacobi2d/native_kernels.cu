// SPDX-License-Identifier: Apache-2.0
#include <cooperative_groups.h>

#include <imbrex/resident/native.hpp>

#include "block.hpp"
#include "native_kernels.hpp"
#include "waiting_share.hpp"

template struct imbrex::resident::native<jacobi2d::block>;
template struct imbrex::resident::native<jacobi2d::waiting_share>;

namespace jacobi2d {
namespace {

constexpr int sweep_threads = 256, sweep_rows = 16;

/// Updates one of several shares of the rows, from row 1 on.
__device__ void update_share(float* from, float* to, int rows, int width, int share, int shares) {
  const int each = (rows + shares - 1) / shares;
  const int first = share * each;
  const int count = min(each, rows - first);
  update(from, to, first + 1, count, width, nullptr, nullptr, threadIdx.x, blockDim.x);
}

__global__ void __launch_bounds__(sweep_threads) sweep_kernel(float* from, float* to, int rows, int width) {
  const int first = static_cast<int>(blockIdx.y) * sweep_rows;
  update(from, to, first + 1, min(sweep_rows, rows - first), width, nullptr, nullptr,
         blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

__global__ void __launch_bounds__(512, 1) loop_kernel(float* a, float* b, int rows, int width, int sweeps) {
  const auto all = cooperative_groups::this_grid();
  for (int n = 0; n < sweeps; ++n) {
    update_share(n % 2 == 0 ? a : b, n % 2 == 0 ? b : a, rows, width, static_cast<int>(blockIdx.x),
                 static_cast<int>(gridDim.x));
    all.sync();
  }
}

}  // namespace

void sweep_on_device(imbrex::native_stream on, imbrex::device_span<float> from, imbrex::device_span<float> to,
                     int rows, int width) {
  const dim3 blocks(static_cast<unsigned>((width / 4 + sweep_threads - 1) / sweep_threads),
                    static_cast<unsigned>((rows + sweep_rows - 1) / sweep_rows));
  sweep_kernel<<<blocks, sweep_threads, 0, static_cast<cudaStream_t>(on.handle)>>>(from.data(), to.data(),
                                                                                   rows, width);
}

void loop_on_device(imbrex::native_stream on, imbrex::device_span<float> a, imbrex::device_span<float> b,
                    int rows, int width, int sweeps, int threads) {
  int device = 0, processors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  float* first = a.data();
  float* second = b.data();
  void* arguments[] = {&first, &second, &rows, &width, &sweeps};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&loop_kernel),
                              dim3(static_cast<unsigned>(processors)), dim3(static_cast<unsigned>(threads)),
                              arguments, 0, static_cast<cudaStream_t>(on.handle));
}

}  // namespace jacobi2d
