// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/entries.hpp>
#include <imbrex/resident/transport/memory.hpp>

#if defined(__CUDA_ARCH__)
#include <cooperative_groups.h>
#endif

namespace imbrex::resident::detail {

#if !defined(__CUDA_ARCH__)
/// Barrier of a PE's threads on a host, as `__syncthreads` is for those of a block.
class thread_barrier;
/// Waits at the barrier. `turn` alternates between two barriers. With one barrier, ThreadSanitizer would
/// order too much: a thread's work after a wait before a thread that is late to leave it.
void wait_at(thread_barrier& at, std::uint32_t turn);
#endif

/// Handle of one thread in its PE: its index `thread()`, the number `threads()`, and a barrier `sync`. After
/// the barrier each thread sees the writes of all others. On a device `place()` is the PE's index within its
/// GPU. `first(here)` is the counterpart of `here` in the PE's first block.
#if defined(__CUDA_ARCH__)
template <class Kind>
class team_of;

template <>
class team_of<block> {
 public:
  __device__ std::uint32_t thread() const { return threadIdx.x; }
  __device__ std::uint32_t threads() const { return blockDim.x; }
  __device__ void sync() { __syncthreads(); }
  __device__ static std::uint32_t place() { return blockIdx.x; }
  template <class T>
  __device__ static T* first(T* here) {
    return here;
  }
};

template <unsigned Blocks>
class team_of<block_of_cluster<Blocks>> : public team_of<block> {
 public:
  /// Waits for all blocks of the cluster.
#if __CUDA_ARCH__ >= 900
  __device__ static void meet() { cooperative_groups::this_cluster().sync(); }
  /// Counterpart of `here` in the block of index `place` of the cluster.
  template <class T>
  __device__ static T* of(T* here, unsigned place) {
    return cooperative_groups::this_cluster().map_shared_rank(here, place);
  }
#else
  __device__ static void meet() { __trap(); }
  template <class T>
  __device__ static T* of(T* here, unsigned) {
    return here;
  }
#endif
};

template <unsigned Blocks>
class team_of<cluster<Blocks>> {
 public:
  __device__ std::uint32_t thread() const { return blockIdx.x % Blocks * blockDim.x + threadIdx.x; }
  __device__ std::uint32_t threads() const { return Blocks * blockDim.x; }
  __device__ static std::uint32_t place() { return blockIdx.x / Blocks; }
#if __CUDA_ARCH__ >= 900
  __device__ void sync() { cooperative_groups::this_cluster().sync(); }
  template <class T>
  __device__ static T* first(T* here) {
    return cooperative_groups::this_cluster().map_shared_rank(here, 0);
  }
#else  // unreachable: `most_pes` reports that there are no clusters
  __device__ void sync() { __trap(); }
  template <class T>
  __device__ static T* first(T* here) {
    return here;
  }
#endif
};

template <>
class team_of<whole_gpu> {
 public:
  __device__ std::uint32_t thread() const { return blockIdx.x * blockDim.x + threadIdx.x; }
  __device__ std::uint32_t threads() const { return gridDim.x * blockDim.x; }
  __device__ void sync() { cooperative_groups::this_grid().sync(); }
  __device__ static std::uint32_t place() { return 0; }
};
using team = team_of<block>;
#else
class team {
 public:
  team() = default;
  /// `barrier` may be null if there is one thread.
  team(std::uint32_t thread, std::uint32_t threads, thread_barrier* barrier)
      : thread_(thread), threads_(threads), barrier_(barrier) {}
  std::uint32_t thread() const { return thread_; }
  std::uint32_t threads() const { return threads_; }
  void sync() {
    if (threads_ > 1) wait_at(*barrier_, turn_++ % 2);
  }

 private:
  std::uint32_t thread_ = 0, threads_ = 1, turn_ = 0;
  thread_barrier* barrier_ = nullptr;
};
template <class Kind>
using team_of = team;
#endif

}  // namespace imbrex::resident::detail
