// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/native.hpp>

#include "cells.hpp"
#include "native_cells.hpp"

template struct imbrex::resident::native<bench::pinger>;
template struct imbrex::resident::native<bench::walker>;

namespace bench {
namespace {

using imbrex::resident::native_memory;
using imbrex::resident::wide_word;

/// Measures the cost of a message inside a GPU with nothing else: two blocks, with a word of 16 bytes each.
__global__ void flag_kernel(wide_word* words, std::uint64_t rounds) {
  const unsigned me = blockIdx.x == 0 ? 0 : 1;
  if (threadIdx.x != 0 || (blockIdx.x != 0 && blockIdx.x + 1 != gridDim.x)) return;
  wide_word& own_word = words[me * 8];
  wide_word& other = words[(1 - me) * 8];
  for (std::uint64_t n = 1; n <= rounds; ++n) {
    if (me == 1)
      while (native_memory::poll(own_word).stamp != n) {
      }
    native_memory::store(other, {n, n});
    if (me == 0)
      while (native_memory::poll(own_word).stamp != n) {
      }
  }
}

}  // namespace

void flag_on_device(imbrex::native_stream on, imbrex::device_span<wide_word> words, std::uint64_t rounds) {
  int device = 0, processors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  wide_word* first = words.data();
  void* arguments[] = {&first, &rounds};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&flag_kernel),
                              dim3(static_cast<unsigned>(processors)), dim3(32), arguments, 0,
                              static_cast<cudaStream_t>(on.handle));
}

}  // namespace bench
