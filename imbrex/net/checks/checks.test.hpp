// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <imbrex/net/checks/subject.test.hpp>

namespace imbrex::test {

/// Something that holds for the endpoints of every reliable fabric; run for each, and for some with a fault
/// that they hide, of which it is to find some.
struct fabric_check {
  std::string name;
  void (*run)(subject&);
  std::vector<int> pes{1, 1, 1};  ///< of each process

  friend void PrintTo(const fabric_check& c, std::ostream* out) { *out << c.name; }
};

/// All of them, and by subject.
std::vector<fabric_check> fabric_checks();
std::span<const fabric_check> message_checks();
std::span<const fabric_check> pressure_checks();
std::span<const fabric_check> end_checks();

}  // namespace imbrex::test
