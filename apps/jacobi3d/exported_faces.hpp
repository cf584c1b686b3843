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

/// A block's faces that are exported to its neighbours through channels (Choi 2022, section 5.2.2). There are
/// two buffers for each, used in turn. So no face is overwritten while a neighbour may still read it: the
/// block fills it again two iterations later. By then it has received a face that the neighbour made after
/// reading. The addresses repeat every two iterations. Faces of several sides are copied side by side.
class exported_faces {
 public:
  /// Creates buffers for the shared sides, in the memory of this PE's device.
  exported_faces(const device_layout& layout, const std::array<bool, sides>& shared,
                 const std::string& owner);

  /// Addresses, in this iteration, of received faces, and of outgoing faces, which the device fills.
  incoming_faces incoming(std::int64_t iteration) const;
  outgoing_faces outgoing(std::int64_t iteration);

  imbrex::device_span<double> in(int side, std::int64_t iteration) {
    return in_[turn(iteration)][std::size_t(side)]->span();
  }
  /// The stream that orders the copies of a side's faces.
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
