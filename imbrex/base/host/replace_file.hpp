// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <system_error>

namespace imbrex {

/// Gives a file these contents. Where its folder allows that, the file is replaced as a whole, or stays as it
/// was; a link stays, and what it leads to is replaced. Written in place is what is no regular file or has
/// other names, and all in /dev and /proc. Returns why it could not be done, no error if it could.
std::error_code replace_file(const std::string& file, std::string_view contents);

}  // namespace imbrex
