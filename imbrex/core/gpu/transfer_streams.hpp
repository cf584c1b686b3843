// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <imbrex/core/pe/pe_tree.hpp>
#include <imbrex/device/stream.hpp>

namespace imbrex::detail {

/// The streams by which what messages carry of devices' memory comes to the device of one PE, and leaves it.
/// That PE's thread.
class transfer_streams {
 public:
  transfer_streams(device& of, int pe)
      : in(of, stream_priority::high, "the messages to PE " + std::to_string(pe)),
        out(of, stream_priority::high, "the messages of PE " + std::to_string(pe)) {}

  /// From the host or another device to this one.
  stream in;
  /// From this one to the host; what waits until others have read goes by it, too.
  stream out;

  /// One of some streams, in turn, by which what is to be combined comes side by side: a copy from another
  /// device takes long to begin, however short it is.
  stream& beside() {
    if (beside_.size() < most_beside)
      return beside_.emplace_back(in.on(), stream_priority::high, in.owner() + ", to be combined");
    next_ = (next_ + 1) % most_beside;
    return beside_[next_];
  }

 private:
  static constexpr std::size_t most_beside = tree_place::arity;

  std::vector<stream> beside_;
  std::size_t next_ = most_beside - 1;
};

}  // namespace imbrex::detail
