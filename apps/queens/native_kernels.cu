// SPDX-License-Identifier: Apache-2.0
#include "native_kernels.hpp"

#include <imbrex/resident/native.hpp>

#include "searcher.hpp"

template struct imbrex::resident::native<queens::searcher>;

namespace queens {
namespace {

__global__ void search_kernel(const board* boards, int count, std::uint32_t size, unsigned long long* sum) {
  const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (n < count) atomicAdd(sum, solutions(boards[n], size));
}

}  // namespace

void search_on_device(imbrex::native_stream on, imbrex::device_span<const board> boards, std::uint32_t size,
                      imbrex::device_span<unsigned long long> sum) {
  constexpr int threads = 64;
  const int count = static_cast<int>(boards.size());
  search_kernel<<<(count + threads - 1) / threads, threads, 0, static_cast<cudaStream_t>(on.handle)>>>(
      boards.data(), count, size, sum.data());
}

}  // namespace queens
