// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace jacobi3d {

/// Addresses of a block's faces in device memory, by side. Each face has no padding and the order of
/// `device_face`. Null for sides without a face.
///
/// This header is C++17, for the device's compilers.
template <class T>
struct device_faces {
  T* of[6] = {};

  /// The face of one side alone.
  constexpr device_faces at_side(int side) const {
    device_faces one;
    one.of[side] = of[side];
    return one;
  }
};

using incoming_faces = device_faces<const double>;
using outgoing_faces = device_faces<double>;

}  // namespace jacobi3d
