// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace minimd {

/// How copies of atoms go from a block on a device to another.
enum class communication : std::uint8_t {
  host,    ///< through pinned memory of the host
  message  ///< as messages with device memory
};

}  // namespace minimd
