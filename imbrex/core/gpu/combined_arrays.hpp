// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::detail {

/// Arrays that a kernel combines into another array, in this order. All have the same length and are on the
/// same device. This header is C++17, for the device's compilers.
template <class T>
struct combined_arrays {
  static constexpr int most = 8;
  const T* of[most] = {};
  int count = 0;
};

}  // namespace imbrex::detail
