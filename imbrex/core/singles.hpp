// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace imbrex::detail {

/// The keys of single chares: home PE (16 bits), creating PE (16 bits), a number that counts the chares that
/// one creates on the other (32 bits).
class single_keys {
 public:
  /// At the creator: a new key.
  std::uint64_t next(int home, int creator) {
    const auto h = static_cast<std::size_t>(home);
    if (h >= issued_.size()) issued_.resize(h + 1);
    return (static_cast<std::uint64_t>(home) << 48U) | (static_cast<std::uint64_t>(creator) << 32U) |
           ++issued_[h];
  }
  static int home(std::uint64_t key) { return static_cast<int>(key >> 48U); }

  /// At the home: the chare has been created.
  void created(std::uint64_t key) {
    auto& seen = seen_[key >> 32U];
    seen.beyond.insert(static_cast<std::uint32_t>(key));
    while (seen.beyond.erase(seen.all_before + 1) != 0) ++seen.all_before;
  }
  /// At the home: true if the chare has ever been created, so that, if it is nowhere, it was destroyed.
  /// Numbers have no gaps, so this takes no memory for chares that are gone.
  bool was_created(std::uint64_t key) const {
    const auto at = seen_.find(key >> 32U);
    if (at == seen_.end()) return false;
    const auto number = static_cast<std::uint32_t>(key);
    return number <= at->second.all_before || at->second.beyond.contains(number);
  }

 private:
  struct creations {
    std::uint32_t all_before = 0;
    std::set<std::uint32_t> beyond;  ///< created out of order
  };

  std::vector<std::uint32_t> issued_;
  std::map<std::uint64_t, creations> seen_;
};

}  // namespace imbrex::detail
