// SPDX-License-Identifier: Apache-2.0
#include <imbrex/grid/device_halo.hpp>

#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::grid::detail {

void throw_function_on_device() {
  throw error(
      "an end of the grid is boundary::function, which a halo of fields on devices cannot call: leave the "
      "end open, and give the ghosts there their values by a kernel after each exchange");
}

void check_on_device(int field, const void* device, const stream& work) {
  const imbrex::device& here = gpu();
  if (work.on().info().id != here.info().id)
    throw error("an exchange is given a stream of " + work.on().info().label() +
                ": give one of gpu(), which is " + here.info().label());
  if (device != here.info().id)
    throw error("field " + std::to_string(field) + " of an exchange is on " +
                (device == nullptr ? std::string("no device") : imbrex::detail::info_of(device).label()) +
                ": make it anew on gpu(), which is " + here.info().label());
}

}  // namespace imbrex::grid::detail
