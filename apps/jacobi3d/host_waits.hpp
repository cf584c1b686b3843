// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace jacobi3d {

/// The waits of a block for its device, in each iteration.
enum class host_waits {
  needed,   ///< until outgoing faces are on the host, if they travel through it; else events order the work
  sends,    ///< until outgoing faces are packed: a communication library without streams sends them
  faces,    ///< also until each face has arrived, and each sent one has been read (Choi 2022, figure 5.3)
  updates,  ///< as `needed`, and until the update is done, before its faces are packed (Choi et al. 2020)
};

/// The values of `--waits`, in the order of the enumeration.
inline constexpr std::array<const char*, 4> host_waits_names{"needed", "sends", "faces", "updates"};

inline const char* name(host_waits kind) { return host_waits_names[std::size_t(kind)]; }

}  // namespace jacobi3d
