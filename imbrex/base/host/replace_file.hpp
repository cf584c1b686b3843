// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace imbrex {

/// Gives a file these contents. Where its folder permits, the file is replaced as a whole, or stays
/// unchanged; a link stays, and its target is replaced. Files that are not regular or have several names, and
/// those in /dev and /proc, are written in place. Returns the error, if any.
std::error_code replace_file(const std::string& file, std::string_view contents);

}  // namespace imbrex
