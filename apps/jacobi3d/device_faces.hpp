// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jacobi3d {

/// Where faces of a block lie in a device's memory, by side, each without padding and in the order of
/// `device_face`. Null where there is none.
///
/// This header is C++17, for the device's compilers.
template <class T>
struct device_faces {
  T* of[6] = {};

  /// That of one side alone.
  constexpr device_faces at_side(int side) const {
    device_faces one;
    one.of[side] = of[side];
    return one;
  }
};

using incoming_faces = device_faces<const double>;
using outgoing_faces = device_faces<double>;

}  // namespace jacobi3d
