// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_reduction.hpp>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>

namespace imbrex::detail {

void check_lengths(const device_terms& first, const device_terms& other) {
  if (first.count() != other.count())
    throw error("a reduction of device_buffers got one of " + std::to_string(first.count()) + " and one of " +
                std::to_string(other.count()) + " elements; all must have the same length");
}

bool land_to_be_combined(attachment& part) {
  const bool in_order = part.must_land(gpu()) && is_short_transfer(part.bytes());
  land_attachment(part);
  return in_order;
}

stream& bring_to_be_combined(attachment& part, bool is_in_order) {
  stream& order = transfers_here().in;
  if (!is_in_order && !land_to_be_combined(part)) order.wait(part.ready());
  return order;
}

}  // namespace imbrex::detail
