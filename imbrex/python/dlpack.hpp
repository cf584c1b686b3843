// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <nanobind/ndarray.h>

namespace imbrex::python {

/// DLPack's DLManagedTensor. A capsule named `dlpack_fresh` holds it until a consumer has taken it.
struct dlpack_managed {
  nanobind::dlpack::dltensor tensor;
  void* context;
  void (*deleter)(dlpack_managed*);
};

inline constexpr const char* dlpack_fresh = "dltensor";

/// DLPack's DLManagedTensorVersioned, for consumers that request version 1; its flags say whether the array
/// is read-only.
struct dlpack_versioned {
  static constexpr std::uint64_t read_only = 1;  ///< bit of `flags`

  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*deleter)(dlpack_versioned*);
  std::uint64_t flags;
  nanobind::dlpack::dltensor tensor;
};

inline constexpr const char* dlpack_versioned_fresh = "dltensor_versioned";

}  // namespace imbrex::python
