// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/element_table.hpp>

namespace imbrex::tools {

// Hash table with linear probing; at most half of the slots are used.
std::size_t element_table::home_of(std::uint32_t collection, std::uint64_t element) const {
  const std::uint64_t mixed = (element ^ (std::uint64_t{collection} << 40U)) * 0x9e37'79b9'7f4a'7c15U;
  return (mixed ^ mixed >> 32U) & (slots_.size() - 1);
}

std::uint32_t element_table::place_of(std::uint32_t collection, std::uint64_t element, std::uint32_t file) {
  std::size_t at = home_of(collection, element);
  for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1)) {
    const element_account& there = accounts_[slots_[at]];
    if (there.element == element && there.collection == collection) return slots_[at];
  }
  if (is_full()) return others;
  const auto place = static_cast<std::uint32_t>(accounts_.size());
  accounts_.push_back({.element = element, .collection = collection, .file = file});
  slots_[at] = place;
  if (2 * accounts_.size() > slots_.size()) grow();
  return place;
}

void element_table::grow() {
  slots_.assign(2 * slots_.size(), 0);
  for (std::uint32_t place = first; place < accounts_.size(); ++place) {
    std::size_t at = home_of(accounts_[place].collection, accounts_[place].element);
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = place;
  }
}

}  // namespace imbrex::tools
