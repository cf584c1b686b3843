// SPDX-License-Identifier: Apache-2.0
// expect: no matching (member )?function for call to .*host
#include <imbrex/device/stream.hpp>

void notify(imbrex::stream& s) {
  auto function = [] { throw 1; };
  s.host(function);
}
