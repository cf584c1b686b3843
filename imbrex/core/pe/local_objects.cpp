// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/local_objects.hpp>

namespace imbrex::detail {

void* local_objects::find(const std::type_info& type) const {
  for (const record& each : list_)
    if (*each.type == type) return each.object;
  return nullptr;
}

void local_objects::forget(std::uint64_t collection) {
  for (const record& each : list_)
    if (each.forget != nullptr) each.forget(each.object, collection);
}

void local_objects::clear() noexcept {
  while (!list_.empty()) {
    const record last = list_.back();
    list_.pop_back();
    last.destroy(last.object);
  }
}

}  // namespace imbrex::detail
