// SPDX-License-Identifier: Apache-2.0
#include <imbrex/net/local/serializing.hpp>

#include <imbrex/net/packing.hpp>
#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

work& repack(work& item) {
  if (item.type->pack == nullptr || item.is_object || item.has_attachments) return item;
  const std::unique_ptr<work, void (*)(work*)> original(&item, [](work* w) { w->type->destroy(*w); });
  writer out;
  item.type->pack(item, out);
  const auto bytes = out.take();
  reader in(bytes);
  return unpacked(*item.type, in);
}

std::size_t packed_size(work& item) {
  if (item.type->pack == nullptr || item.is_object) return 0;
  writer out(writer::counting);
  item.type->pack(item, out);
  return out.size();
}

}  // namespace imbrex::detail
