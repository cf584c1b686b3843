// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/log.hpp>

#include <string>

#include <imbrex/core/pe/local_array.hpp>
#include <imbrex/core/pe/processor.hpp>

namespace imbrex::detail {

void log_of(const chare_header& from, log_level level, std::string_view text) {
  std::string line = from.home->element_name(from) + " on PE " + std::to_string(from.home->pe().pe()) + ": ";
  line += text;
  log(level, line);
}

}  // namespace imbrex::detail
