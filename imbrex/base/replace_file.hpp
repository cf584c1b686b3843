// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace imbrex {

/// Gives a file these contents: replaces it as a whole, or leaves it as it was. A link stays, and what it leads to is
/// replaced; what is no regular file is written in place, and so is all in /dev. Returns why it could not be done, no
/// error if it could.
std::error_code replace_file(const std::string& file, std::string_view contents);

/// What `replace_file` writes before it touches the file: one beside it, or that itself where it is written in place.
std::string written_first(const std::string& file);

}  // namespace imbrex
