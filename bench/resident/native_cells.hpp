// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device/device_span.hpp>
#include <imbrex/device/native_stream.hpp>
#include <imbrex/resident/transport/memory.hpp>

#if IMBREX_HAS_CUDA

namespace bench {

/// Passes words to and fro between two blocks, for `rounds` rounds. `words` are 16 words of zeros.
void flag_on_device(imbrex::native_stream on, imbrex::device_span<imbrex::resident::wide_word> words,
                    std::uint64_t rounds);

}  // namespace bench

#endif
