// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <imbrex/gpu.hpp>

#include "apps/harness/extents.hpp"
#include "apps/jacobi3d/device_faces.hpp"
#include "apps/jacobi3d/device_layout.hpp"

namespace jacobi3d {

using harness::sides;

/// A block's faces that stay where they are and are copied to its neighbours through channels (Choi 2022,
/// section 5.2.2). There are two of each, used in turn. So no face is filled while a neighbour may still read
/// it: the block fills it two iterations later, when it has got from that neighbour what that one made after
/// it had read. The addresses come round every two iterations. Faces of several sides come side by side.
class lent_faces {
 public:
  /// For the sides that are shared, in the memory of this PE's device.
  lent_faces(const device_layout& layout, const std::array<bool, sides>& shared, const std::string& owner);

  /// Of an iteration: where what came lies, and where the device puts what goes.
  incoming_faces incoming(std::int64_t iteration) const;
  outgoing_faces outgoing(std::int64_t iteration);

  imbrex::device_span<double> in(int side, std::int64_t iteration) {
    return in_[turn(iteration)][std::size_t(side)]->span();
  }
  /// The stream in whose order those of a side come, or go.
  imbrex::stream& transfers(int side) { return *transfers_[std::size_t(side)]; }
  imbrex::device_span<const double> out(int side, std::int64_t iteration) const {
    return out_[turn(iteration)][std::size_t(side)]->span();
  }

 private:
  using buffers = std::array<std::optional<imbrex::device_buffer<double>>, sides>;

  static std::size_t turn(std::int64_t iteration) { return std::size_t(iteration) % 2; }

  std::array<buffers, 2> in_, out_;
  std::array<std::optional<imbrex::stream>, sides> transfers_;
};

}  // namespace jacobi3d
