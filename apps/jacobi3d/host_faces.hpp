// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include <imbrex/gpu.hpp>

#include "apps/harness/extents.hpp"
#include "apps/jacobi3d/device_faces.hpp"
#include "apps/jacobi3d/device_layout.hpp"
#include "apps/jacobi3d/exchange.hpp"

namespace jacobi3d {

/// A block's faces on their way through pinned memory of the host (Charm-H of Choi 2022, section 5.2.3), each
/// with a buffer there and one in the device. What came: `put`, then `copy_in`, then the device has it. What
/// goes: `copy_out`, and when that is done `take`.
class host_faces {
 public:
  /// For the sides that are shared, in the memory of this PE's device.
  host_faces(const device_layout& layout, const std::array<bool, sides>& shared);

  /// Where what came lies in the device.
  incoming_faces incoming() const;
  /// Where the device puts what goes.
  outgoing_faces outgoing();

  /// Takes a neighbour's face. Nothing that was given to the device may still read its side's buffer.
  void put(const face& received);
  /// The face of a side, for the neighbour there.
  face take(int side) const;

  /// Submits the copy to the device, or from it, to a stream or a work request.
  template <class Queue>
  void copy_in(int side, Queue& to) {
    buffers& in = *in_[std::size_t(side)];
    to.copy(in.on_device.span(), std::as_const(in.on_host).span());
  }
  template <class Queue>
  void copy_out(int side, Queue& to) {
    buffers& out = *out_[std::size_t(side)];
    to.copy(out.on_host.span(), std::as_const(out.on_device).span());
  }

 private:
  struct buffers {
    explicit buffers(std::size_t cells) : on_device(imbrex::gpu(), cells), on_host(imbrex::gpu(), cells) {}
    imbrex::device_buffer<double> on_device;
    imbrex::pinned_buffer<double> on_host;
  };

  const bool keeps_data_;
  std::array<std::optional<buffers>, sides> in_, out_;
};

}  // namespace jacobi3d
