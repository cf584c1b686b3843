// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/name/singles.hpp>

#include <cstddef>
#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

single_keys::single_keys(int pes, std::uint64_t first) : pe_bits_(pes <= 256 ? 8 : 16), first_(first) {}
single_keys::~single_keys() = default;

std::uint64_t single_keys::next(int home, int creator) {
  const auto h = static_cast<std::size_t>(home);
  if (h >= issued_.size()) issued_.resize(h + 1, first_);
  if (issued_[h] > last_number())
    throw error(
        "make_chare: PE " + std::to_string(creator) + " has made " + std::to_string(last_number()) +
        " single chares on PE " + std::to_string(home) +
        ", and their keys have no room for more: make others elsewhere, or elements of a keyed array");
  return (static_cast<std::uint64_t>(home) << (64U - pe_bits_)) |
         (static_cast<std::uint64_t>(creator) << number_bits()) | issued_[h]++;
}

void single_keys::created(std::uint64_t key) {
  auto& seen = seen_.try_emplace(key >> number_bits(), creations{first_ - 1, {}}).first->second;
  const auto number = this->number(key);
  if (number != seen.all_before + 1) {
    seen.out_of_order.insert(number);
    return;
  }
  do ++seen.all_before;
  while (seen.out_of_order.erase(seen.all_before + 1) != 0);
}

bool single_keys::was_created(std::uint64_t key) const {
  const auto at = seen_.find(key >> number_bits());
  if (at == seen_.end()) return false;
  const auto number = this->number(key);
  return number <= at->second.all_before || at->second.out_of_order.contains(number);
}

}  // namespace imbrex::detail
