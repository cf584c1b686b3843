// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/ticks.hpp>

#include <fstream>
#include <string>

namespace imbrex {

bool ticks_are_even() {
  static const bool they_are = [] {
    std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string source;
    file >> source;
    return source == "tsc" || source == "arch_sys_counter";
  }();
  return they_are;
}

}  // namespace imbrex
