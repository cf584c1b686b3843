// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <imbrex/device/native_stream.hpp>
#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/pe_loop.hpp>

namespace imbrex::resident {

/// Kernel of a program with these classes. A file that the device's compiler compiles includes this header
/// and has `template struct imbrex::resident::native<cell>;`. No other compiler can instantiate it.
template <class... Chare>
struct native {
  /// Submits the kernel that runs the PEs of the machine.
  static void launch(native_stream on, detail::machine m);
  /// Number of PEs, with blocks of `threads` threads, that run at once on the current device: one block per
  /// multiprocessor. It is 0 if the device has no cooperative launch, or no clusters where PEs need them.
  static std::uint32_t most_pes(std::uint32_t threads);
};

}  // namespace imbrex::resident

#if defined(__CUDACC__)

namespace imbrex::resident {
namespace detail {

/// Kernel of a run. All blocks must run at once, so the launch is cooperative.
template <class List>
__global__ void __launch_bounds__(512, 1) resident_kernel(const __grid_constant__ machine m) {
#if defined(__CUDA_ARCH__)  // not in the compilation for the host
  using kind = typename pe_of_list<List>::type;
  team_of<kind> threads;
  const std::uint32_t pe = m.first_pe + threads.place();
  if constexpr (std::is_same_v<kind, whole_gpu>) {
    auto* const state = reinterpret_cast<pe_state*>(m.bulk_of(threads.place()) + m.parts.state);
    if (threads.thread() == 0) state->prepare(m, pe, reinterpret_cast<std::uint32_t*>(state + 1));
    threads.sync();
    pe_loop<List>(m, *state, threads, pe).serve();
  } else if constexpr (neighbours_of<kind> > 1) {
    extern __shared__ std::uint32_t tickets[];
    __shared__ pe_state state;
    __shared__ near_part part;
    if (threads.thread() == 0) {
      state.prepare(m, pe, tickets);
      part.prepare(m.first_ticket);
      state.cluster.count = neighbours_of<kind>;
      state.cluster.place = threads.place() % neighbours_of<kind>;
      state.cluster.first_pe = pe - state.cluster.place;
      for (unsigned p = 0; p < neighbours_of<kind>; ++p)
        state.cluster.parts[p] = p == state.cluster.place ? &part : threads.of(&part, p);
    }
    threads.meet();
    pe_loop<List>(m, state, threads, pe).serve();
    threads.meet();  // others store into this block's memory
  } else {
    extern __shared__ std::uint32_t tickets[];
    __shared__ pe_state state;
    if (threads.thread() == 0) state.prepare(m, pe, tickets);
    threads.sync();
    pe_loop<List>(m, *threads.first(&state), threads, pe).serve();
    if constexpr (blocks_of<kind> > 1) threads.sync();  // the others read the state of the first block
  }
#endif
}

/// Blocks per cluster; 0 or 1: there are none.
template <class Kind>
inline constexpr unsigned of_cluster = blocks_of<Kind> * neighbours_of<Kind>;

/// Launch of blocks of `threads` threads, in clusters if PEs are clusters or are in clusters.
template <class Kind>
struct resident_launch {
  cudaLaunchConfig_t config{};
  cudaLaunchAttribute attributes[2]{};

  explicit resident_launch(std::uint32_t threads) {
    config.blockDim = dim3(threads);
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim = {of_cluster<Kind>, 1, 1};
    config.attrs = attributes;
    config.numAttrs = of_cluster<Kind> > 1 ? 2 : 1;
  }
};

inline std::uint32_t multiprocessors() {
  int device = 0, processors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  return static_cast<std::uint32_t>(processors);
}

}  // namespace detail

template <class... Chare>
void native<Chare...>::launch(native_stream on, detail::machine m) {
  using kind = typename detail::pe_of_list<chares<Chare...>>::type;
  constexpr std::uint32_t blocks = detail::blocks_of<kind>;
  detail::resident_launch<kind> how(m.shape.threads);
  how.config.gridDim = dim3(blocks == 0 ? detail::multiprocessors() : m.pes_here * blocks);
  how.config.dynamicSmemBytes = m.pes_here * sizeof(std::uint32_t);
  how.config.stream = static_cast<cudaStream_t>(on.handle);
  cudaLaunchKernelEx(&how.config, detail::resident_kernel<chares<Chare...>>, m);
}

template <class... Chare>
std::uint32_t native<Chare...>::most_pes(std::uint32_t threads) {
  using kind = typename detail::pe_of_list<chares<Chare...>>::type;
  int device = 0, cooperative = 0, at_once = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device);
  if (cooperative == 0) return 0;
  const auto code = detail::resident_kernel<chares<Chare...>>;
  constexpr std::size_t tickets = 256 * sizeof(std::uint32_t);
  if constexpr (detail::of_cluster<kind> > 1) {
    detail::resident_launch<kind> how(threads);
    how.config.gridDim = dim3(detail::of_cluster<kind>);
    how.config.dynamicSmemBytes = tickets;
    if (cudaOccupancyMaxActiveClusters(&at_once, code, &how.config) != cudaSuccess) {
      cudaGetLastError();  // the device has no clusters
      return 0;
    }
    return static_cast<std::uint32_t>(at_once) * detail::neighbours_of<kind>;
  } else {
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, code, static_cast<int>(threads), tickets);
    if (at_once == 0) return 0;
    // One per multiprocessor: more share its instructions.
    return detail::blocks_of<kind> == 0 ? 1 : detail::multiprocessors();
  }
}

}  // namespace imbrex::resident

#endif
