// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include <imbrex/device/native_stream.hpp>

namespace bench {

/// What native_spin.cu defines: the GPU's side of the kernel in spin.hpp.
void spin_on_device(imbrex::native_stream on, std::atomic<std::uint32_t>* word, std::uint32_t value,
                    std::int64_t nanoseconds);

}  // namespace bench
