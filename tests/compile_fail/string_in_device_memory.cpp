// SPDX-License-Identifier: Apache-2.0
// expect: imbrex: what lies in device memory must be trivially copyable
#include <imbrex/device/buffer.hpp>

#include <string>

std::size_t length(const imbrex::device_buffer<std::string>& of) { return of.size(); }
