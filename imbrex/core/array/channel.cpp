// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/channel.hpp>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

void throw_unconnected() {
  throw error("send on a channel that is not connected: call connect<&chare::port>(peer) first");
}

}  // namespace imbrex::detail
