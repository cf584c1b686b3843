// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <imbrex/base/clock.hpp>
#endif

namespace imbrex {

/// The processor's counter from which the system derives its clock. It is cheaper to read: 11 ns instead of
/// `real_clock`'s 30 on an AMD EPYC. But it has no unit, and earlier instructions may not have completed.
inline std::uint64_t read_ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return static_cast<std::uint64_t>(detail::real_clock().now().count());
#endif
}

/// The counter once all earlier instructions have completed, such as a load of a value from another thread.
/// So it is later than the counter that the other thread read before it wrote.
inline std::uint64_t read_ticks_in_order() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  // Earlier loads are complete where a branch depends on them, as in a loop that waits for a value. The
  // instruction isb prevents reading the counter before the branch is decided.
  asm volatile("isb" ::: "memory");
#endif
  return read_ticks();
}

/// True if the counter counts evenly and is equal on all processors, which holds if the system itself uses
/// it.
bool ticks_are_even();

}  // namespace imbrex
