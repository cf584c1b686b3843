// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/device/stream.hpp>

namespace imbrex::detail {

/// The streams by which what messages carry of devices' memory comes to the device of one PE, and leaves it.
/// That PE's thread.
struct transfer_streams {
  transfer_streams(device& of, int pe)
      : in(of, stream_priority::high, "the messages to PE " + std::to_string(pe)),
        out(of, stream_priority::high, "the messages of PE " + std::to_string(pe)) {}

  /// From the host or another device to this one.
  stream in;
  /// From this one to the host; what waits until others have read goes by it, too.
  stream out;
};

}  // namespace imbrex::detail
