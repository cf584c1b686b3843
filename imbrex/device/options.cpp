// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/options.hpp>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex::detail {

int parse_devices(const parsed_option& argument) {
  const auto number = parse_number<int>(argument.value);
  if (!number || *number < 1 || *number > max_devices)
    throw usage_error(printable(argument.name) + " " + printable(argument.value) +
                      ": the number of emulated devices must be from 1 to " + std::to_string(max_devices) +
                      "; leave --devices out for one");
  return *number;
}

void check_devices(int devices) {
  if (devices < 0 || devices > max_devices)
    throw usage_error("devices = " + std::to_string(devices) +
                      ": the number of emulated devices must be from 1 to " + std::to_string(max_devices) +
                      ", or 0 for one");
}

}  // namespace imbrex::detail
