// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/period_report.hpp>

#include <algorithm>

namespace imbrex::balance::detail {

void period_report::add(const period_report& from) {
  busiest = std::max(busiest, from.busiest);
  busy += from.busy;
  largest = std::max(largest, from.largest);
  duration = std::max(duration, from.duration);
  own = std::max(own, from.own);
  other = std::max(other, from.other);
  error_steady += from.error_steady;
  error_moving += from.error_moving;
  busiest_device = std::max(busiest_device, from.busiest_device);
  for (const device_part& part : from.parts) add_device(part);
  busy_devices += from.busy_devices;
  largest_on_device = std::max(largest_on_device, from.largest_on_device);
  devices += from.devices;
  elements += from.elements;
  unmeasured += from.unmeasured;
  unmovable += from.unmovable;
  with_points += from.with_points;
  arrivals += from.arrivals;
  bytes += from.bytes;
  fixed += from.fixed;
}

void period_report::add_device(const device_part& part) {
  auto at = std::ranges::lower_bound(parts, part.device, {}, &device_part::device);
  if (at != parts.end() && at->device == part.device) {
    at->load += part.load;
    at->pes += part.pes;
  } else {
    at = parts.insert(at, part);
  }
  if (at->pes < at->all) return;
  busiest_device = std::max(busiest_device, at->load);
  ++devices;
  parts.erase(at);
}

period_rules rules_of(const options& settings) {
  period_rules rules;
  rules.points = std::max<std::uint64_t>(settings.balance.every_points, 1);
  rules.least_time = std::chrono::duration<double>(settings.balance.every_time).count();
  rules.is_timed = rules.least_time > 0;
  rules.sends_loads = !settings.balance.record.empty();
  return rules;
}

}  // namespace imbrex::balance::detail
