// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/spin.hpp"

#include <chrono>
#include <thread>

#include "bench/gpu/native_spin.hpp"

namespace bench {
namespace {

#if IMBREX_HAS_CUDA
constexpr auto native_spin = spin_on_device;
#else
constexpr auto native_spin = nullptr;
#endif

/// Sleeps, possibly longer than requested, to leave the processor to the measured threads.
void spin_on_host(std::atomic<std::uint32_t>* word, std::uint32_t value, std::int64_t nanoseconds) {
  std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds));
  word->store(value, std::memory_order_release);
}

}  // namespace

constexpr imbrex::kernel<std::atomic<std::uint32_t>*, std::uint32_t, std::int64_t> spin{
    .name = "spin", .native = native_spin, .host = spin_on_host};

}  // namespace bench
