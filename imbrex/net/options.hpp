// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/options/option_table.hpp>
#include <imbrex/net/settings.hpp>

namespace imbrex {

namespace detail {

nanoseconds parse_net_delay(const parsed_option& argument);
std::uint64_t parse_net_bandwidth(const parsed_option& argument);
/// Check a field, which may have been set without a command line. Throw usage_error for a value that no
/// option gives.
void check_net_delay(std::string_view field, nanoseconds time);
void check_net_bandwidth(std::uint64_t bytes_per_second);

}  // namespace detail

/// The options of the network between PEs.
template <class Settings>
std::vector<option<Settings>> network_options() {
  return {
      {.words = {"--net", "FABRIC",
                 "network between processes: ucx (default), or loopback, within one process"},
       .set = [](Settings& s, const parsed_option& argument) { s.net = argument.value; }},
      {.words = {"--net-latency", "TIME", "modelled latency of messages between PEs, such as 200us"},
       .set = [](Settings& s,
                 const parsed_option& argument) { s.net_latency = detail::parse_net_delay(argument); },
       .check = [](const Settings& s) { detail::check_net_delay("net_latency", s.net_latency); }},
      {.words = {"--net-bandwidth", "RATE",
                 "modelled bandwidth of messages between PEs, such as 1GB/s or 100Mbit/s; messages of one PE "
                 "do not overlap"},
       .set = [](Settings& s,
                 const parsed_option& argument) { s.net_bandwidth = detail::parse_net_bandwidth(argument); },
       .check = [](const Settings& s) { detail::check_net_bandwidth(s.net_bandwidth); }},
      {.words = {"--net-injection-gap", "TIME",
                 "modelled least time between two messages of one PE, such as 1us"},
       .set = [](Settings& s,
                 const parsed_option& argument) { s.net_injection_gap = detail::parse_net_delay(argument); },
       .check = [](const Settings& s) { detail::check_net_delay("net_injection_gap", s.net_injection_gap); }},
  };
}

}  // namespace imbrex
