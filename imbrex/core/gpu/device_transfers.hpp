// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <imbrex/core/gpu/transfer_streams.hpp>

namespace imbrex {

class reader;

namespace detail {

class device_part;

/// Those of the PE on this thread. Throws imbrex::error if it has no device.
transfer_streams& transfers_here();

/// Reads a part of elements of that size, and knows whom to tell once it has been copied, if that is asked.
void read_device_part(reader& in, device_part& part, std::size_t size);

/// A stream of the device where a part is; null if it is on none, or on this PE's.
stream* stream_out_of(const device_part& part);

}  // namespace detail
}  // namespace imbrex
