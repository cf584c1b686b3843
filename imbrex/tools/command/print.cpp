// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/command/print.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <imbrex/base/error.hpp>

namespace imbrex::tools {

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
    throw error(std::string("the standard output cannot be written: ") + std::strerror(errno));
}

}  // namespace imbrex::tools
