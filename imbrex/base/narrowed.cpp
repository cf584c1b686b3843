// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/narrowed.hpp>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

void throw_does_not_fit(const std::string& what, const std::string& value, const std::string& least,
                        const std::string& most, const std::string& remedy) {
  throw error(what + " " + value + " does not fit: it must be from " + least + " to " + most + "; " + remedy);
}

}  // namespace imbrex::detail
