// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_argument.hpp>

namespace imbrex::detail {

void check_place(std::string_view member, std::size_t room, const void* device, const stream& order,
                 std::size_t count) {
  const auto refuse = [&](const std::string& why) {
    throw error(std::string(member) + " returned a place for " + std::to_string(count) + " elements " + why);
  };
  if (room < count)
    refuse("that has room for " + std::to_string(room) + "; return one that is at least as long");
  const imbrex::device& here = gpu();
  if (order.on().info().id != here.info().id)
    refuse("with a stream of " + order.on().info().label() + "; return one of gpu(), which is " +
           here.info().label());
  if (count != 0 && device != here.info().id)
    refuse("that is on " + (device == nullptr ? std::string("no device") : info_of(device).label()) +
           "; return memory of gpu(), which is " + here.info().label());
}

}  // namespace imbrex::detail
