// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <span>
#include <string>

#include <imbrex/device/subject.test.hpp>

namespace imbrex::test {

/// Something that holds for every device; run for each kind of device, and for emulations with a defect, of
/// which it is to find some.
struct device_check {
  std::string name;
  void (*run)(subject&);
  bool only_exact = false;  ///< holds only where nothing but contention delays operations

  friend void PrintTo(const device_check& c, std::ostream* out) { *out << c.name; }
};

std::span<const device_check> device_checks();

}  // namespace imbrex::test
