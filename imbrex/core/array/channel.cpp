// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/channel.hpp>

#include <exception>
#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

void throw_unconnected() {
  throw error("send on a channel that is not connected: call connect<&chare::port>(peer) first");
}

void throw_connected(const message_type& other) {
  throw error("connect of a channel that has another end already, " + std::string(other.chare_name) +
              "::" + std::string(other.entry_name) +
              " of a chare: a channel has one other end; make a channel for each");
}

std::exception_ptr second_end() {
  return std::make_exception_ptr(error(
      "a channel received a value from a second end: a channel has one other end; make a channel for each"));
}

}  // namespace imbrex::detail
