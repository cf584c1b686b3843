// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace minimd {

/// The path of copies' values from a block on a device to another block.
enum class communication : std::uint8_t {
  host,    ///< through pinned host memory
  message  ///< as messages with device memory
};

}  // namespace minimd
