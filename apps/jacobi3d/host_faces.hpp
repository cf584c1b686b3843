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

/// A block's faces that are sent through pinned host memory (Charm-H of Choi 2022, section 5.2.3). Each has a
/// buffer there and one on the device. A received face needs `put`, then `copy_in`. An outgoing face needs
/// `copy_out`, and after its completion `take`.
class host_faces {
 public:
  /// Creates buffers for the shared sides, in the memory of this PE's device.
  host_faces(const device_layout& layout, const std::array<bool, sides>& shared);

  /// Addresses of received faces on the device.
  incoming_faces incoming() const;
  /// Addresses of outgoing faces, which the device fills.
  outgoing_faces outgoing();

  /// Stores a neighbour's face. No work submitted to the device may still read the buffer of its side.
  void put(const face& received);
  /// The outgoing face of a side, for the neighbour there.
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
