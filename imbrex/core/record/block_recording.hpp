// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <imbrex/core/record/block_recorder.hpp>

namespace imbrex {

class device;

namespace detail {

/// Creates a recorder for `blocks` blocks of a kernel on that device, in the trace of this PE's run. Null if
/// this thread is no PE's, if the run is not traced, and in simulated time.
std::unique_ptr<block_recorder> block_recording(const device& of, std::uint32_t blocks);

}  // namespace detail
}  // namespace imbrex
