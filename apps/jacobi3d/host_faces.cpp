// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/host_faces.hpp"

#include <algorithm>

namespace jacobi3d {

host_faces::host_faces(const device_layout& layout, const std::array<bool, sides>& shared)
    : keeps_data_(imbrex::gpu().info().keeps_data) {
  for (int side = 0; side < sides; ++side) {
    if (!shared[std::size_t(side)]) continue;
    in_[std::size_t(side)].emplace(layout.face_cells(side));
    out_[std::size_t(side)].emplace(layout.face_cells(side));
  }
}

incoming_faces host_faces::incoming() const {
  incoming_faces faces;
  for (int side = 0; side < sides; ++side)
    if (const auto& in = in_[std::size_t(side)]) faces.of[side] = in->on_device.span().data();
  return faces;
}

outgoing_faces host_faces::outgoing() {
  outgoing_faces faces;
  for (int side = 0; side < sides; ++side)
    if (auto& out = out_[std::size_t(side)]) faces.of[side] = out->on_device.span().data();
  return faces;
}

void host_faces::put(const face& received) {
  auto cells = in_[std::size_t(received.side)]->on_host.span();
  if (keeps_data_) std::ranges::copy(received.cells, cells.begin());
  imbrex::spend_copy(cells.size_bytes());
}

face host_faces::take(int side) const {
  const auto cells = out_[std::size_t(side)]->on_host.span();
  face outermost{side ^ 1, {}};
  if (keeps_data_)
    outermost.cells.assign(cells.begin(), cells.end());
  else
    outermost.left_out.count = cells.size_bytes();
  imbrex::spend_copy(cells.size_bytes());
  return outermost;
}

}  // namespace jacobi3d
