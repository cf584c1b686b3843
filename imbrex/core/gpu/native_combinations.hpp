// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/gpu/combined_arrays.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/native_stream.hpp>

/// The GPU kernels for reductions of device memory, for known number types. They are defined in
/// native_combinations.cu. This header is C++17, for the device's compilers.

namespace imbrex::detail {

/// Each function combines `to[i]` with the elements of `from`, one array after the other. All arrays have the
/// length of `to`.
template <class T>
struct native_combinations {
  static void sum(native_stream on, device_span<T> to, combined_arrays<T> from);
  static void product(native_stream on, device_span<T> to, combined_arrays<T> from);
  static void min(native_stream on, device_span<T> to, combined_arrays<T> from);
  static void max(native_stream on, device_span<T> to, combined_arrays<T> from);
};

}  // namespace imbrex::detail
