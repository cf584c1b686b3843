// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace imbrex::tools {

/// A time in ns with four digits and its unit: "12.34 ms".
std::string readable_time(double nanoseconds);
/// A number of bytes: "1.234 MB"; k is 1000.
std::string readable_bytes(double bytes);
/// A whole number in groups of three digits: "12 345".
std::string readable_count(std::uint64_t count);
/// A part from 0 to 1: "12.3 %".
std::string readable_part(double part);

}  // namespace imbrex::tools
