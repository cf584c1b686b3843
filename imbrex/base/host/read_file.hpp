// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace imbrex {

/// The content of a file that the user has named. Throws `error` with only the reason, such as "No such file
/// or directory". Also throws if it is no regular file, which may never end, or has more than `most` bytes.
std::string read_file(const std::string& file, std::size_t most);

}  // namespace imbrex
