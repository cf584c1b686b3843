// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/device/stream.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex {

/// The device of this PE, for creating `stream`s and buffers. Several PEs may share a device. Throws
/// imbrex::error if the PE has none.
device& gpu();

namespace detail {

/// The completions of this PE's device. Throws imbrex::error if the PE has no device.
device_completions& completions_here();

/// Notifies the receiver when all work submitted to the stream so far is complete, or the device has failed.
/// Returns null if it is complete already.
device_completions::completion* notify_here(stream& after, const device_completions::receiver& who);

}  // namespace detail
}  // namespace imbrex
