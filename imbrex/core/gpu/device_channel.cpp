// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_channel.hpp>

#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

void receive_at(device_part& content, void* address, const void* device, std::size_t count, stream& order) {
  if (content.count() != count)
    throw error("a device channel has got an array of " + std::to_string(content.count()) +
                " elements where it receives one of " + std::to_string(count) +
                "; both ends must agree on the length");
  if (device != order.on().info().id && count != 0)
    throw error("a device channel receives to memory of another device than the stream's, which is " +
                order.on().info().label() + "; give both of gpu()");
  content.land_at(address, order, stream_out_of(content));
}

}  // namespace imbrex::detail
