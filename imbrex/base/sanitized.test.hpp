// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::test {

/// Sanitizers keep freed memory back, to see who uses it: then a process's size says nothing about what it
/// uses.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool memory_is_kept_back = true;
#elif defined(__has_feature)
inline constexpr bool memory_is_kept_back =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool memory_is_kept_back = false;
#endif

}  // namespace imbrex::test
