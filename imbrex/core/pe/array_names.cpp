// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/array_names.hpp>

#include <map>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/type_name.hpp>
#include <imbrex/core/pe/local_array.hpp>

namespace imbrex::detail {

namespace {

struct reserved_numbers : std::map<std::string, std::uint64_t> {};
struct group_counts : std::map<std::string, std::uint64_t, std::less<>> {};

}  // namespace

std::string lasting_name(const array_origin& origin, std::string_view shown_class) {
  if (!origin.is_group() || origin.name.empty()) return origin.name;
  const char* const what = origin.kind == array_kind::group ? "group " : "process group ";
  return what + origin.name + ": " + std::string(shown_class);
}

const collection_part* find_named(const processor& pe, std::string_view name) {
  const collection_part* found = nullptr;
  // The part of a destroyed array may still be here when its maker goes on; the name is free by then.
  for_each_array(pe, [&](const local_array& each) {
    if (each.is_closed() || each.origin().name.empty()) return;
    if (lasting_name(each.origin(), each.shown_name()) == name) found = &each;
  });
  return found;
}

std::uint64_t number_for(processor& pe, const array_origin& origin, std::string_view shown_class) {
  if (!origin.name.empty()) {
    auto& reserved = pe.local<reserved_numbers>();
    if (const auto number = reserved.extract(lasting_name(origin, shown_class))) return number.mapped();
  }
  return pe.new_collection();
}

void reserve_number(processor& pe, const std::string& lasting_name, std::uint64_t collection) {
  pe.local<reserved_numbers>()[lasting_name] = collection;
}

std::string next_group_name(processor& pe, std::string_view shown_class) {
  auto& counts = pe.local<group_counts>();
  auto at = counts.find(shown_class);
  if (at == counts.end()) at = counts.emplace(shown_class, 0).first;
  return std::to_string(++at->second) + " of PE " + std::to_string(pe.pe());
}

}  // namespace imbrex::detail
