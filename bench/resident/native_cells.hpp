// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device/device_span.hpp>
#include <imbrex/device/native_stream.hpp>
#include <imbrex/resident/transport/memory.hpp>

#if IMBREX_HAS_CUDA

namespace bench {

/// So many rounds to and fro between two blocks, by words of zeros, 16 of them.
void flag_on_device(imbrex::native_stream on, imbrex::device_span<imbrex::resident::wide_word> words,
                    std::uint64_t rounds);

}  // namespace bench

#endif
