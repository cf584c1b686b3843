// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <imbrex/core/record/block_recorder.hpp>

namespace imbrex {

class device;

namespace detail {

/// What records so many blocks of a kernel of that device, in the trace of the run that this thread is a PE
/// of; null if it is of none, or the run is not traced, or in simulated time.
std::unique_ptr<block_recorder> block_recording(const device& of, std::uint32_t blocks);

}  // namespace detail
}  // namespace imbrex
