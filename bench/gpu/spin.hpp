// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include <imbrex/device/kernel.hpp>

namespace bench {

/// A kernel of one thread that does nothing for so many nanoseconds and then, as its last act, stores a
/// number into a word of pinned host memory: so the host sees when it ended.
extern const imbrex::kernel<std::atomic<std::uint32_t>*, std::uint32_t, std::int64_t> spin;

}  // namespace bench
