// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include <imbrex/device/stream.hpp>

namespace imbrex::detail {

/// The streams by which messages carry device memory to and from the device of one PE. Its PE's thread only.
class transfer_streams {
 public:
  transfer_streams(device& of, int pe)
      : in(of, stream_priority::high, "the messages to PE " + std::to_string(pe)),
        out(of, stream_priority::high, "the messages of PE " + std::to_string(pe)) {}

  /// Copies to this device, ordered before the work that combines or reads the data there.
  stream in;
  /// Copies from this device to the host; also waits until other readers are done.
  stream out;

  /// Copies to this device from memory that is not pinned. For these, drivers may block the thread until the
  /// stream's earlier work is complete. So this stream never waits for events.
  stream& unpinned() {
    if (!unpinned_) unpinned_.emplace(in.on(), stream_priority::high, in.owner() + ", not pinned");
    return *unpinned_;
  }

  /// One of several streams, in turn, for parallel transfers to this device. A transfer from another device
  /// or host has a long latency, however short it is.
  stream& beside() {
    if (beside_.size() < most_beside)
      return beside_.emplace_back(in.on(), stream_priority::high, in.owner() + ", side by side");
    next_ = (next_ + 1) % most_beside;
    return beside_[next_];
  }

 private:
  /// A rendezvous between hosts takes as long as some four transfers of 64 KiB. A reduction in pieces has a
  /// transfer from each other device.
  static constexpr std::size_t most_beside = 16;

  std::deque<stream> beside_;
  std::optional<stream> unpinned_;
  std::size_t next_ = most_beside - 1;
};

}  // namespace imbrex::detail
