// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <thread>
#endif

namespace imbrex {

/// Leaves the core to its other hardware threads for some nanoseconds: between two polls of a thread that
/// waits awake.
inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // `yield` has no effect on cores with one hardware thread, as most are
#else
  std::this_thread::yield();
#endif
}

}  // namespace imbrex
