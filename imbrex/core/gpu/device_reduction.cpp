// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_reduction.hpp>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>

namespace imbrex::detail {

void land_to_be_combined(device_part& part) {
  if (part.must_land(gpu())) part.land(transfers_here().beside(), stream_out_of(part));
}

stream* order_combination(device_part& into, std::span<device_part* const> others) {
  for (const device_part* const other : others)
    if (into.count() != other->count())
      throw error("a reduction of device_buffers got one of " + std::to_string(into.count()) +
                  " and one of " + std::to_string(other->count()) +
                  " elements; all must have the same length");
  if (into.count() == 0) return nullptr;
  land_to_be_combined(into);
  for (device_part* const other : others) land_to_be_combined(*other);
  stream& order = transfers_here().in;
  order.wait(into.ready());
  for (const device_part* const other : others) order.wait(other->ready());
  return &order;
}

}  // namespace imbrex::detail
