// SPDX-License-Identifier: Apache-2.0
// expect: no matching (member )?function for call to .*copy
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/stream.hpp>

#include <span>
#include <vector>

void upload(imbrex::stream& s, imbrex::device_buffer<double>& to, const std::vector<double>& from) {
  s.copy(to.span(), std::span(from));
}
