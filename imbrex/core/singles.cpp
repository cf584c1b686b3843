// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/singles.hpp>

#include <cstddef>

namespace imbrex::detail {

single_keys::single_keys() = default;
single_keys::~single_keys() = default;

std::uint64_t single_keys::next(int home, int creator) {
  const auto h = static_cast<std::size_t>(home);
  if (h >= issued_.size()) issued_.resize(h + 1);
  return (static_cast<std::uint64_t>(home) << 48U) | (static_cast<std::uint64_t>(creator) << 32U) |
         ++issued_[h];
}

void single_keys::created(std::uint64_t key) {
  auto& seen = seen_[key >> 32U];
  const auto number = static_cast<std::uint32_t>(key);
  if (number != seen.all_before + 1) {
    seen.beyond.insert(number);
    return;
  }
  do ++seen.all_before;
  while (seen.beyond.erase(seen.all_before + 1) != 0);
}

bool single_keys::was_created(std::uint64_t key) const {
  const auto at = seen_.find(key >> 32U);
  if (at == seen_.end()) return false;
  const auto number = static_cast<std::uint32_t>(key);
  return number <= at->second.all_before || at->second.beyond.contains(number);
}

}  // namespace imbrex::detail
