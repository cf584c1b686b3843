// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/minimd/device_layout.hpp"

namespace minimd {

/// Calls visit(i, at) for each value in the messages; a value has `numbers` numbers. For emulated devices.
template <class Visit>
void for_each_value(const message_places& all, std::ptrdiff_t numbers, Visit visit) {
  std::int32_t i = 0;
  for (int in = 0; in < all.count; ++in)
    for (double* at = all.at[in]; i < all.end[in]; ++i, at += numbers) visit(static_cast<std::size_t>(i), at);
}

}  // namespace minimd
