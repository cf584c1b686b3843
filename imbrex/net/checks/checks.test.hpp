// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <imbrex/net/checks/subject.test.hpp>

namespace imbrex::test {

/// A property of the endpoints of every reliable fabric. Each check runs on each fabric, and on some with
/// hidden faults, of which the checks together must find some.
struct fabric_check {
  std::string name;
  void (*run)(subject&);
  std::vector<int> pes{1, 1, 1};  ///< number of PEs in each process

  friend void PrintTo(const fabric_check& c, std::ostream* out) { *out << c.name; }
};

/// All checks, and the checks of each subject.
std::vector<fabric_check> fabric_checks();
std::span<const fabric_check> message_checks();
std::span<const fabric_check> pressure_checks();
std::span<const fabric_check> end_checks();

}  // namespace imbrex::test
