// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device_span.hpp>
#include <imbrex/native_stream.hpp>

#include "board.hpp"

#if IMBREX_HAS_CUDA

namespace queens {

/// Searches boards made by the host, with a thread for each, and adds the numbers of solutions to `sum`.
void search_on_device(imbrex::native_stream on, imbrex::device_span<const board> boards, std::uint32_t size,
                      imbrex::device_span<unsigned long long> sum);

}  // namespace queens

#endif
