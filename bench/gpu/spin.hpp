// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include <imbrex/device/kernel.hpp>

namespace bench {

/// A kernel of one thread that spins for some nanoseconds. Its last action stores a number into a word of
/// pinned host memory, which shows the host the time of its end.
extern const imbrex::kernel<std::atomic<std::uint32_t>*, std::uint32_t, std::int64_t> spin;

}  // namespace bench
