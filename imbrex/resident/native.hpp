// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device/native_stream.hpp>
#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/scheduler.hpp>

namespace imbrex::resident {

/// The kernel of a program with these classes. A file that the device's compiler compiles includes this
/// header and has `template struct imbrex::resident::native<cell>;`, which only there can be.
template <class... Chare>
struct native {
  static void launch(native_stream on, detail::machine m);
  /// Blocks of so many threads that run at once on the current device, one on each multiprocessor; 0: it has
  /// no cooperative launch.
  static std::uint32_t most_pes(std::uint32_t threads);
};

}  // namespace imbrex::resident

#if defined(__CUDACC__)

namespace imbrex::resident {
namespace detail {

/// All of a run: a PE is a block. All blocks must run at once, so it is launched cooperatively.
template <class List>
__global__ void __launch_bounds__(512, 1) resident_kernel(const __grid_constant__ machine m) {
  extern __shared__ std::uint32_t tickets[];
  __shared__ pe_state state;
  team threads;
  const std::uint32_t pe = m.first_pe + blockIdx.x;
  if (threads.thread() == 0) state.prepare(m, pe, tickets);
  threads.sync();
  scheduler<List>(m, state, threads, pe).serve();
}

}  // namespace detail

template <class... Chare>
void native<Chare...>::launch(native_stream on, detail::machine m) {
  void* arguments[] = {&m};
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(&detail::resident_kernel<chares<Chare...>>),
                              dim3(m.pes_here), dim3(m.threads), arguments,
                              m.pes_here * sizeof(std::uint32_t), static_cast<cudaStream_t>(on.handle));
}

template <class... Chare>
std::uint32_t native<Chare...>::most_pes(std::uint32_t threads) {
  int device = 0, processors = 0, cooperative = 0, blocks = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, detail::resident_kernel<chares<Chare...>>,
                                                static_cast<int>(threads), 256 * sizeof(std::uint32_t));
  if (cooperative == 0 || blocks == 0) return 0;
  return static_cast<std::uint32_t>(processors);  // one on each: more share its instructions
}

}  // namespace imbrex::resident

#endif
