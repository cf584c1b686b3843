// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/name/singles.hpp>

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::detail {

/// The chares that have been created, by the pair of PEs in the key.
struct single_keys::record {
  struct creations {
    std::uint64_t all_before = 0;
    std::set<std::uint64_t> out_of_order;  ///< numbers created out of order
  };

  std::map<std::uint64_t, creations> seen;
};

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
  return key_of(home, creator, issued_[h]++);
}

std::uint64_t single_keys::key_of(int home, int creator, std::uint64_t number) const {
  return (static_cast<std::uint64_t>(home) << (64U - pe_bits_)) |
         (static_cast<std::uint64_t>(creator) << number_bits()) | number;
}

void single_keys::created(std::uint64_t key) {
  if (!record_) record_ = make_owner<record>();
  auto& seen =
      record_->seen.try_emplace(key >> number_bits(), record::creations{first_ - 1, {}}).first->second;
  const auto number = this->number(key);
  if (number != seen.all_before + 1) {
    seen.out_of_order.insert(number);
    return;
  }
  do ++seen.all_before;
  while (seen.out_of_order.erase(seen.all_before + 1) != 0);
}

bool single_keys::was_created(std::uint64_t key, bool has_saved) const {
  if (number(key) >= first_saved()) return has_saved || number(key) == first_saved();
  if (!record_) return false;
  const auto at = record_->seen.find(key >> number_bits());
  if (at == record_->seen.end()) return false;
  const auto number = this->number(key);
  return number <= at->second.all_before || at->second.out_of_order.contains(number);
}

}  // namespace imbrex::detail
