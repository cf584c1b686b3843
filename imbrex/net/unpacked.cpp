// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/unpacked.hpp>

#include <string>

#include <imbrex/serial/archive.hpp>

namespace imbrex {

work& unpacked(const work_type& kind, reader& in) {
  work* item = nullptr;
  try {
    item = kind.unpack(in);
    in.finish();
  } catch (const serial_error& e) {
    if (item != nullptr) kind.destroy(*item);
    throw serial_error("the message " + std::string(kind.name) + " cannot be unpacked: " + e.what());
  }
  return *item;
}

}  // namespace imbrex
