// SPDX-License-Identifier: Apache-2.0
#include <imbrex/io/system_error.hpp>

#include <cerrno>
#include <cstring>

#include <imbrex/base/error.hpp>

namespace imbrex::io::detail {

void throw_system_error(const std::string& verb, const std::string& path) {
  const int why = errno;
  throw error("cannot " + verb + " " + path + ": " + std::strerror(why));
}

}  // namespace imbrex::io::detail
