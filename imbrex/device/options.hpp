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
      {.words = {"--device", "KIND", "kind of the PEs' devices: cuda or emulated (default none)"},
       .set = [](Settings& s, const parsed_option& argument) { s.device = argument.value; }},
      {.words = {"--devices", "N",
                 "number of emulated devices in each process (default 1; one per PE on --machine simulated)"},
       .set = [](Settings& s, const parsed_option& argument) { s.devices = detail::parse_devices(argument); },
       .check = [](const Settings& s) { detail::check_devices(s.devices); }},
      {.words = {"--device-model", "M",
                 "model of the times of emulated devices, with --machine simulated also of messages: v100, "
                 "h200, summit or a file (default none: no time passes)"},
       .set = [](Settings& s, const parsed_option& argument) { s.device_model = argument.value; }},
      {.words = {"--no-data", "",
                 "emulate the times of devices, but not their memory and results: for large models"},
       .set = [](Settings& s, const parsed_option&) { s.device_data = false; }},
  };
}

}  // namespace imbrex
