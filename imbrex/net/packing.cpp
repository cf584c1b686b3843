// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/packing.hpp>

#include <exception>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

void pack_or_destroy(work& item, writer& out) {
  try {
    item.type->pack(item, out);
  } catch (...) {
    item.type->destroy(item);
    throw;
  }
}

work& unpacked(const work_type& kind, reader& in) {
  work* item = nullptr;
  const auto fail = [&](const std::string& why) {
    if (item != nullptr) kind.destroy(*item);
    throw serial_error("the message " + std::string(kind.name) + " cannot be unpacked: " + why);
  };
  try {
    item = kind.unpack(in);
    in.finish();
  } catch (const serial_error& e) {
    fail(e.what());
  } catch (...) {  // thrown by a type's own serialize()
    fail(describe(std::current_exception()));
  }
  return *item;
}

}  // namespace imbrex::detail
