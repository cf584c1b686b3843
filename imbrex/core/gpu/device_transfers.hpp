// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/core/gpu/transfer_streams.hpp>

namespace imbrex::detail {

class device_part;

/// Those of the PE on this thread. Throws imbrex::error if it has no device.
transfer_streams& transfers_here();

/// A stream of the device where a part is; null if it is on none, or on this PE's.
stream* stream_out_of(const device_part& part);

}  // namespace imbrex::detail
