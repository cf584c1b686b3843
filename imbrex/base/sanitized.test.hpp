// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::test {

/// True in builds whose sanitizer keeps freed memory, to detect its use: then a process's size does not show
/// its use of memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool memory_is_kept_back = true;
#elif defined(__has_feature)
inline constexpr bool memory_is_kept_back =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool memory_is_kept_back = false;
#endif

}  // namespace imbrex::test
