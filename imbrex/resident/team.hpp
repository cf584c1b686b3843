// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident::detail {

#if !defined(__CUDA_ARCH__)
/// What the threads of a PE wait by on a host, as those of a block do by `__syncthreads`.
class thread_barrier;
/// `turn` alternates between two barriers: by one alone, ThreadSanitizer would take what another thread does
/// after a wait as ordered before whoever comes late out of it.
void wait_at(thread_barrier& at, std::uint32_t turn);
#endif

/// One thread's view of the threads that are a PE: a block of the device, or threads of the host.
class team {
 public:
#if defined(__CUDA_ARCH__)
  __device__ std::uint32_t thread() const { return threadIdx.x; }
  __device__ std::uint32_t threads() const { return blockDim.x; }
  __device__ void sync() { __syncthreads(); }
#else
  team() = default;
  /// `barrier` may be null if it is one thread.
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
#endif
};

}  // namespace imbrex::resident::detail
