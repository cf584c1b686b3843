// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <imbrex/base/options/option_table.hpp>
#include <imbrex/device/settings.hpp>

namespace imbrex {

namespace detail {

int parse_devices(const parsed_option& argument);
/// Throws usage_error for a number that no option gives.
void check_devices(int devices);

}  // namespace detail

/// The options of a process's devices.
template <class Settings>
std::vector<option<Settings>> device_options() {
  return {
      {.words = {"--device", "KIND", "cuda, or emulated: a device for each PE to use; none unless given"},
       .set = [](Settings& s, const parsed_option& argument) { s.device = argument.value; }},
      {.words = {"--devices", "N", "so many emulated devices in each process; one unless given"},
       .set = [](Settings& s, const parsed_option& argument) { s.devices = detail::parse_devices(argument); },
       .check = [](const Settings& s) { detail::check_devices(s.devices); }},
      {.words = {"--device-model", "M",
                 "how fast they are: v100, h200, summit or a file; unless given, no time is taken "
                 "(with --machine simulated also what messages take)"},
       .set = [](Settings& s, const parsed_option& argument) { s.device_model = argument.value; }},
      {.words = {"--no-data", "", "let them take their time, but keep and compute nothing: for large models"},
       .set = [](Settings& s, const parsed_option&) { s.device_data = false; }},
  };
}

}  // namespace imbrex
