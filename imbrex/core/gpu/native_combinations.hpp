// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/gpu/combined_arrays.hpp>
#include <imbrex/device/device_span.hpp>
#include <imbrex/device/native_stream.hpp>

/// The GPU's side of reductions of device memory, for the types of numbers that it knows: what
/// native_combinations.cu defines. This header is C++17, for the device's compilers.

namespace imbrex::detail {

/// Each makes `to[i]` of `to[i]` and then one after the other of `from`, of as many elements as all have.
template <class T>
struct native_combinations {
  static void sum(native_stream on, device_span<T> to, combined_arrays<T> from);
  static void product(native_stream on, device_span<T> to, combined_arrays<T> from);
  static void min(native_stream on, device_span<T> to, combined_arrays<T> from);
  static void max(native_stream on, device_span<T> to, combined_arrays<T> from);
};

}  // namespace imbrex::detail
