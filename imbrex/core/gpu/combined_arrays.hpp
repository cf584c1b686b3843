// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::detail {

/// What a kernel combines with an array: arrays of the same length on the same device, in this order. This
/// header is C++17, for the device's compilers.
template <class T>
struct combined_arrays {
  static constexpr int most = 8;
  const T* of[most] = {};
  int count = 0;
};

}  // namespace imbrex::detail
