// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include <imbrex/device/stream.hpp>

namespace imbrex::detail {

/// The streams by which what messages carry of devices' memory comes to the device of one PE, and leaves it.
/// That PE's thread.
class transfer_streams {
 public:
  transfer_streams(device& of, int pe)
      : in(of, stream_priority::high, "the messages to PE " + std::to_string(pe)),
        out(of, stream_priority::high, "the messages of PE " + std::to_string(pe)) {}

  /// To this one, in the order of what combines or reads it there.
  stream in;
  /// From this one to the host; what waits until others have read goes by it, too.
  stream out;

  /// To this one from memory that is not pinned: for such a copy drivers may have the thread wait until the
  /// stream has come there, so this one waits for nothing.
  stream& unpinned() {
    if (!unpinned_) unpinned_.emplace(in.on(), stream_priority::high, in.owner() + ", not pinned");
    return *unpinned_;
  }

  /// One of some streams, in turn, by which transfers to this device go side by side: one from another device
  /// or another host takes long to begin, however short it is.
  stream& beside() {
    if (beside_.size() < most_beside)
      return beside_.emplace_back(in.on(), stream_priority::high, in.owner() + ", side by side");
    next_ = (next_ + 1) % most_beside;
    return beside_[next_];
  }

 private:
  /// A rendezvous between hosts takes as long as some four transfers of 64 KiB, and a piece of a reduction
  /// comes from each other device.
  static constexpr std::size_t most_beside = 16;

  std::deque<stream> beside_;
  std::optional<stream> unpinned_;
  std::size_t next_ = most_beside - 1;
};

}  // namespace imbrex::detail
