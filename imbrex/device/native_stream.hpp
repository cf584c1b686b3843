// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex {

/// A backend's own handle of a stream: a cudaStream_t or hipStream_t. It has a header of its own for files
/// that the device's compiler compiles.
struct native_stream {
  void* handle = nullptr;  ///< the stream as the device's driver knows it, such as a `cudaStream_t`
};

}  // namespace imbrex
