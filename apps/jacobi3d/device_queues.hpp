// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <imbrex/gpu.hpp>

#include "apps/harness/extents.hpp"

namespace jacobi3d {

using harness::sides;

/// The kinds of work of an iteration of a block on a device. Copies, unpacks and packs are for one side each;
/// the `all` kinds are one kernel for all sides.
enum class device_part { to_device, unpack, unpack_all, update, pack, pack_all, from_device };

/// The streams of these kinds, by side, and the events that order them. Several kinds may share a stream.
class stream_queues {
 public:
  /// Uses the streams of a chare's set: all sides share them.
  stream_queues(imbrex::stream_set& set, imbrex::event& turn);
  /// Uses one stream for the update, one for other work of all sides, and one for each side that has a
  /// stream.
  stream_queues(imbrex::stream& update, imbrex::stream& of_all,
                const std::array<imbrex::stream*, sides>& of_sides, imbrex::event& turn);

  imbrex::stream& of(device_part kind, int side) const {
    return *streams_[std::size_t(kind)][std::size_t(side)];
  }
  /// The stream of a kind of work for all sides.
  imbrex::stream& of(device_part kind) const { return of(kind, 0); }

  /// Orders later submissions to `later` of a side after earlier submissions to `earlier` of it.
  void order(device_part earlier, device_part later, int side) const;
  /// Orders the kinds for all sides. Streams shared by sides are ordered once.
  void order(device_part earlier, device_part later) const;

 private:
  void order(imbrex::stream& earlier, imbrex::stream& later) const;

  imbrex::event& turn_;
  std::array<std::array<imbrex::stream*, sides>, 7> streams_;
};

/// Queues for work requests, which order their work themselves.
class request_queues {
 public:
  explicit request_queues(imbrex::work_request& request) : request_(request) {}
  imbrex::work_request& of(device_part /*kind*/, int /*side*/ = 0) const { return request_; }
  void order(device_part, device_part, int /*side*/ = 0) const {}

 private:
  imbrex::work_request& request_;
};

}  // namespace jacobi3d
