// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace imbrex::detail {

/// The arrays whose elements have arrived in the bundle that the PE delivers now. Their parts report all
/// arrivals at its end. Kept by `processor::local`.
struct bundled_arrivals {
  bool are_open = false;
  std::vector<std::uint64_t> arrays;
};

}  // namespace imbrex::detail
