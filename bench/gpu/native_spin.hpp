// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include <imbrex/device/native_stream.hpp>

namespace bench {

/// The GPU's side of the kernel in spin.hpp, defined by native_spin.cu.
void spin_on_device(imbrex::native_stream on, std::atomic<std::uint32_t>* word, std::uint32_t value,
                    std::int64_t nanoseconds);

}  // namespace bench
