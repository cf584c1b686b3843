// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/checks/checks.test.hpp>

namespace imbrex::test {

std::vector<fabric_check> fabric_checks() {
  std::vector<fabric_check> all;
  for (const auto& some : {message_checks(), pressure_checks(), end_checks()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace imbrex::test
