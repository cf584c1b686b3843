// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/checks.test.hpp>

namespace imbrex::test {

std::vector<device_check> device_checks() {
  std::vector<device_check> all;
  for (const auto& some : {order_checks(), host_checks(), memory_checks(), failure_checks()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace imbrex::test
