// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <imbrex/checkpoint/part.hpp>
#include <imbrex/checkpoint/part_image.hpp>

namespace imbrex::checkpoints {

/// The compression of a part's file.
enum class compression : std::uint8_t { none, zstd };

/// Completes a sealed image, writes it to a new file in a folder that exists, waits until it is on the disk,
/// and reads it back. Throws `error` with the name of the file, and removes the file, if that fails.
part_summary write_part(part_image& image, const std::string& file, compression how = compression::none);

}  // namespace imbrex::checkpoints
