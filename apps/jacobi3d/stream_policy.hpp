// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace jacobi3d {

/// How the work of blocks is spread over streams.
enum class stream_policy {
  single,  ///< one for each block
  two,     ///< for each block one that computes and, before it, one that communicates (Choi 2022, 5.2.3)
  four,    ///< the same, with copies in two streams of their own
  five,    ///< for all blocks of a PE: update, pack, copies from and to the device, unpack (Choi et al. 2020)
};

/// What `--streams` calls them, in their order.
inline constexpr std::array<const char*, 4> stream_policy_names{"single", "two", "four", "five"};

inline const char* name(stream_policy policy) { return stream_policy_names[std::size_t(policy)]; }

}  // namespace jacobi3d
