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
  single_keys();
  ~single_keys();

  /// At the creator: a new key.
  std::uint64_t next(int home, int creator);
  static int home(std::uint64_t key) { return static_cast<int>(key >> 48U); }

  /// At the home: the chare has been created.
  void created(std::uint64_t key);
  /// At the home: true if the chare has ever been created, so that, if it is nowhere, it was destroyed.
  /// Numbers have no gaps, so this takes no memory for chares that are gone.
  bool was_created(std::uint64_t key) const;

 private:
  struct creations {
    std::uint32_t all_before = 0;
    std::set<std::uint32_t> beyond;  ///< created out of order
  };

  std::vector<std::uint32_t> issued_;
  std::map<std::uint64_t, creations> seen_;
};

}  // namespace imbrex::detail
