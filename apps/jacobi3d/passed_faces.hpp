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

/// The outermost cells of a block in a device's memory, for the neighbour whose `side` they lie at.
struct passed_face {
  int side = 0;
  imbrex::device_buffer<double> cells;
};

/// A block's faces that are handed over from block to block in the memory of devices (Charm-D of Choi 2022,
/// section 5.2.3). Neighbours exchange buffers: one that came is filled and goes back two iterations later,
/// when all that read it is over. So an iteration takes no memory, waits for nothing on the host, and the
/// addresses come round every four iterations where nobody copies.
class passed_faces {
 public:
  /// For the sides that are shared, in the memory of this PE's device.
  passed_faces(const device_layout& layout, const std::array<bool, sides>& shared);

  /// Where what came lies.
  incoming_faces incoming() const;
  /// Where the device puts what goes.
  outgoing_faces outgoing();

  /// Takes a neighbour's face, and has the stream that reads it wait for it.
  void put(passed_face&& received, imbrex::stream& reader);
  /// The face of a side, for the neighbour there: what that stream has been given so far fills it.
  passed_face take(int side, imbrex::stream& filler);

 private:
  using buffer = std::optional<imbrex::device_buffer<double>>;

  const device_layout layout_;
  std::array<buffer, sides> in_, before_, out_;
};

}  // namespace jacobi3d
