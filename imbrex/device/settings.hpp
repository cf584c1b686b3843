// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex {

/// Limit of emulated devices in one process.
inline constexpr int max_devices = 65'536;

/// The path of device memory in messages, where there are several.
enum class device_path {
  any,      ///< the shortest available
  host,     ///< through pinned memory of the host
  peer,     ///< between devices of a process by direct copies, or not at all
  shared,   ///< between processes of a host by copies from the other's memory, or not at all
  network,  ///< between processes by a network that accesses device memory, or not at all
};

}  // namespace imbrex
