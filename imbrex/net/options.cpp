// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/options.hpp>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::detail {

nanoseconds parse_net_delay(const parsed_option& argument) {
  const auto time = parse_duration(argument.value);
  if (!time || *time > max_net_delay)
    throw usage_error(printable(argument.name) + " " + printable(argument.value) +
                      ": the value must be a time from 0s to 60s with its unit, ns, us, ms or s, such as "
                      "200us or 1.5ms");
  return *time;
}

std::uint64_t parse_net_bandwidth(const parsed_option& argument) {
  const auto rate = parse_rate(argument.value);
  if (!rate || *rate < min_net_bandwidth || *rate > max_net_bandwidth)
    throw usage_error(printable(argument.name) + " " + printable(argument.value) +
                      ": the value must be a rate from 1kB/s to 1000GB/s with its unit, B/s, kB/s, MB/s, "
                      "GB/s, kbit/s, Mbit/s or Gbit/s, such as 1GB/s or 100Mbit/s; leave " +
                      printable(argument.name) + " out for no limit");
  return *rate;
}

void check_net_delay(std::string_view field, nanoseconds time) {
  if (time < nanoseconds(0) || time > max_net_delay)
    throw usage_error(std::string(field) + " = " + duration_text(time) + ": the time must be from 0s to " +
                      duration_text(max_net_delay));
}

void check_net_bandwidth(std::uint64_t bytes_per_second) {
  if (bytes_per_second != 0 && (bytes_per_second < min_net_bandwidth || bytes_per_second > max_net_bandwidth))
    throw usage_error("net_bandwidth = " + rate_text(bytes_per_second) + ": the rate must be from " +
                      rate_text(min_net_bandwidth) + " to " + rate_text(max_net_bandwidth) +
                      ", or 0 for no limit");
}

}  // namespace imbrex::detail
