// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <imbrex/gpu.hpp>

#include "apps/harness/extents.hpp"

namespace jacobi3d {

using harness::sides;

/// The kinds of work of an iteration of a device's block. Copies, unpacks and packs are of a side each; the
/// `all` ones are of all sides, when they are one kernel.
enum class device_part { to_device, unpack, unpack_all, update, pack, pack_all, from_device };

/// The streams that these go to, by side, and the events that order them. Several may be the same stream.
class stream_queues {
 public:
  /// Those of a chare's set: sides share them.
  stream_queues(imbrex::stream_set& set, imbrex::event& turn);
  /// One for the update, one for what else is of all sides, and one for each of those sides that have one.
  stream_queues(imbrex::stream& update, imbrex::stream& of_all,
                const std::array<imbrex::stream*, sides>& of_sides, imbrex::event& turn);

  imbrex::stream& of(device_part kind, int side) const {
    return *streams_[std::size_t(kind)][std::size_t(side)];
  }
  /// Of a kind that is of all sides.
  imbrex::stream& of(device_part kind) const { return of(kind, 0); }

  /// What is submitted to the later of a side from now on comes after what has been submitted to the earlier.
  void order(device_part earlier, device_part later, int side) const;
  /// The same of all sides. Streams that sides share are ordered once.
  void order(device_part earlier, device_part later) const;

 private:
  void order(imbrex::stream& earlier, imbrex::stream& later) const;

  imbrex::event& turn_;
  std::array<std::array<imbrex::stream*, sides>, 7> streams_;
};

/// The same for work requests, which have an order of their own.
class request_queues {
 public:
  explicit request_queues(imbrex::work_request& request) : request_(request) {}
  imbrex::work_request& of(device_part /*kind*/, int /*side*/ = 0) const { return request_; }
  void order(device_part, device_part, int /*side*/ = 0) const {}

 private:
  imbrex::work_request& request_;
};

}  // namespace jacobi3d
