// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace jacobi3d {

/// The path of the faces of blocks on devices.
enum class communication {
  host,        ///< through pinned memory of the host: copy down, send, copy up (Charm-H of Choi 2022)
  message,     ///< device buffers are moved in messages
  channel,     ///< through channels, from one block's buffer to the other's (Charm-D)
  persistent,  ///< as `channel`, with buffers that both blocks register beforehand
};

/// The values of `--comm`, in the order of the enumeration.
inline constexpr std::array<const char*, 4> communication_names{"host", "message", "channel", "persistent"};

inline const char* name(communication kind) { return communication_names[std::size_t(kind)]; }

}  // namespace jacobi3d
