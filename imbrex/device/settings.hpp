// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex {

/// The most emulated devices that one process may have.
inline constexpr int max_devices = 65'536;

/// How memory of devices goes where there is more than one way.
enum class device_path {
  any,      ///< the shortest that there is
  host,     ///< through pinned memory of the host
  peer,     ///< between devices of a process by a copy from one to the other, or not at all
  shared,   ///< between processes of a host by a copy from the memory of the other, or not at all
  network,  ///< between processes by a network that reads and writes memory of devices, or not at all
};

}  // namespace imbrex
