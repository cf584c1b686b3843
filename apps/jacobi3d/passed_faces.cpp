// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/passed_faces.hpp"

#include <cstddef>
#include <utility>

namespace jacobi3d {

passed_faces::passed_faces(const device_layout& layout, const std::array<bool, sides>& shared)
    : layout_(layout) {
  for (int side = 0; side < sides; ++side)
    if (shared[std::size_t(side)]) out_[std::size_t(side)].emplace(imbrex::gpu(), layout.face_cells(side));
}

incoming_faces passed_faces::incoming() const {
  incoming_faces faces;
  for (int side = 0; side < sides; ++side)
    if (const auto& in = in_[std::size_t(side)]) faces.of[side] = in->span().data();
  return faces;
}

outgoing_faces passed_faces::outgoing() {
  outgoing_faces faces;
  for (int side = 0; side < sides; ++side)
    if (auto& out = out_[std::size_t(side)]) faces.of[side] = out->span().data();
  return faces;
}

void passed_faces::put(passed_face&& received, imbrex::stream& reader) {
  const auto side = std::size_t(received.side);
  before_[side] = std::exchange(in_[side], std::move(received.cells));
  reader.wait(*in_[side]);
}

passed_face passed_faces::take(int side, imbrex::stream& filler) {
  auto& out = out_[std::size_t(side)];
  passed_face outermost{side ^ 1, std::move(*out).ready_after(filler)};
  out = std::exchange(before_[std::size_t(side)], std::nullopt);
  if (!out) out.emplace(imbrex::gpu(), layout_.face_cells(side));
  return outermost;
}

}  // namespace jacobi3d
