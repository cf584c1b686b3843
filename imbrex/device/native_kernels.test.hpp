// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device/device_span.hpp>
#include <imbrex/device/native_stream.hpp>

#if IMBREX_HAS_CUDA

namespace imbrex::test {

void append_on_device(native_stream on, device_span<int> log, int mark, std::int64_t nanoseconds);
void add_on_device(native_stream on, device_span<const int> from, device_span<int> to, int number);

}  // namespace imbrex::test

#endif
