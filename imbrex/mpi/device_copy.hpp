// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/device/device.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::mpi {

// All on the thread of a PE that has a device.

/// Orders a copy by devices of this process: `to_on` and `from_on` say whose memory it is, null: the host's,
/// of one of the two at most. Returns the stream in whose order it goes: copies between a device and the host
/// go in the same one, those from another device or another process of the host side by side.
stream& order_copy(void* to, device* to_on, const void* from, device* from_on, std::size_t bytes);

/// Tells the receiver when all that was ordered in the stream is done, maybe at once. If the device fails the
/// receiver is told so.
void tell_when_done(stream& after, const detail::device_completions::receiver& told);

}  // namespace imbrex::mpi
