// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>

#include <imbrex/gpu.hpp>

#include "apps/harness/extents.hpp"
#include "apps/jacobi3d/device_faces.hpp"
#include "apps/jacobi3d/device_layout.hpp"

namespace jacobi3d {

using harness::sides;

/// The outermost cells of a block in device memory; `side` is the side of the receiving neighbour.
struct passed_face {
  int side = 0;
  imbrex::device_buffer<double> cells;
};

/// A block's faces that are moved between blocks in device memory (Charm-D of Choi 2022, section 5.2.3).
/// Neighbours exchange buffers: a received buffer is filled again and sent back two iterations later, when
/// all its readers are done. So an iteration allocates nothing, and never waits on the host. The addresses
/// repeat every four iterations if no buffer is copied.
class passed_faces {
 public:
  /// Creates buffers for the shared sides, in the memory of this PE's device.
  passed_faces(const device_layout& layout, const std::array<bool, sides>& shared);

  /// Addresses of received faces.
  incoming_faces incoming() const;
  /// Addresses of outgoing faces, which the device fills.
  outgoing_faces outgoing();

  /// Stores a neighbour's face, and makes the reading stream wait for it.
  void put(passed_face&& received, imbrex::stream& reader);
  /// The outgoing face of a side, for the neighbour there; filled by the work submitted to `filler` so far.
  passed_face take(int side, imbrex::stream& filler);

 private:
  using buffer = std::optional<imbrex::device_buffer<double>>;

  const device_layout layout_;
  std::array<buffer, sides> in_, before_, out_;
};

}  // namespace jacobi3d
