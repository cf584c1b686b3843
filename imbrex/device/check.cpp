// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/check.hpp>

#include <cstdlib>

#include <imbrex/base/log.hpp>

namespace imbrex::detail {

void refuse_misuse(std::string_view text) noexcept {
  log(log_level::error, text);
  std::abort();
}

}  // namespace imbrex::detail
