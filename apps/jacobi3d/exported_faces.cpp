// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/exported_faces.hpp"

namespace jacobi3d {

exported_faces::exported_faces(const device_layout& layout, const std::array<bool, sides>& shared,
                               const std::string& owner) {
  for (auto* const faces : {&in_, &out_})
    for (buffers& of_turn : *faces)
      for (int side = 0; side < sides; ++side)
        if (shared[std::size_t(side)])
          of_turn[std::size_t(side)].emplace(imbrex::gpu(), layout.face_cells(side));
  for (int side = 0; side < sides; ++side)
    if (shared[std::size_t(side)])
      transfers_[std::size_t(side)].emplace(imbrex::gpu(), imbrex::stream_priority::high, owner);
}

incoming_faces exported_faces::incoming(std::int64_t iteration) const {
  incoming_faces faces;
  for (std::size_t side = 0; side < sides; ++side)
    if (const auto& in = in_[turn(iteration)][side]) faces.of[side] = in->span().data();
  return faces;
}

outgoing_faces exported_faces::outgoing(std::int64_t iteration) {
  outgoing_faces faces;
  for (std::size_t side = 0; side < sides; ++side)
    if (auto& out = out_[turn(iteration)][side]) faces.of[side] = out->span().data();
  return faces;
}

}  // namespace jacobi3d
