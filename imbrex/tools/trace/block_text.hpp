// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace imbrex::tools {

/// The name of a block of a kernel that schedules by itself, from the number of its track. "block 3 of device
/// 0", or "block 3 of kernel 1 of device 0" if the device had several such kernels at once.
inline std::string block_text(std::uint32_t place) {
  const std::uint32_t kernel = place >> 8U & 0xffU;
  return "block " + std::to_string(place & 0xffU) +
         (kernel == 0 ? "" : " of kernel " + std::to_string(kernel)) + " of device " +
         std::to_string(place >> 16U);
}

}  // namespace imbrex::tools
