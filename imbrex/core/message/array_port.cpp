// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/message/array_port.hpp>

#include <string>

namespace imbrex::detail {

void throw_other_port(const message_type& kind, std::string_view type) {
  throw serial_error("a port of values " + std::string(type) + " was saved, and " + kind.shown_name() +
                     " is none in this program");
}

}  // namespace imbrex::detail
