// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <imbrex/base/clock.hpp>
#endif

namespace imbrex {

/// What the counter of the processor shows that the system's clock is made of: cheaper to read (11 ns instead
/// of `real_clock`'s 30 on an AMD EPYC), but in no unit, and what comes before in the program may still be
/// under way.
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

/// The same when all that comes before has been done, such as reading what another thread has written: so
/// later than what that thread read before it wrote.
inline std::uint64_t read_ticks_in_order() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  // Earlier loads are waited for where a branch depends on them, as it does in a loop that waits for a value;
  // isb keeps the counter from being read before that branch is decided.
  asm volatile("isb" ::: "memory");
#endif
  return read_ticks();
}

/// True if it counts evenly and is the same on all processors, which is so if the system uses it itself.
bool ticks_are_even();

}  // namespace imbrex
