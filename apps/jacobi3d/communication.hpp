// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace jacobi3d {

/// How the faces of a device's blocks travel.
enum class communication {
  host,        ///< through pinned memory of the host: copy down, send, copy up (Charm-H of Choi 2022)
  message,     ///< device buffers are handed over in messages
  channel,     ///< through channels, from one block's buffer to the other's (Charm-D)
  persistent,  ///< the same, with buffers that both blocks know beforehand
};

/// What `--comm` calls them, in their order.
inline constexpr std::array<const char*, 4> communication_names{"host", "message", "channel", "persistent"};

inline const char* name(communication kind) { return communication_names[std::size_t(kind)]; }

}  // namespace jacobi3d
