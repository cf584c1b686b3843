// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::tools {

/// Sums of one element of a collection.
struct element_account {
  std::uint64_t element = 0;
  std::uint64_t busy = 0;   ///< ns of its own execution, without nested frames
  std::uint64_t calls = 0;  ///< calls of its entries by messages
  std::uint64_t sent = 0;   ///< messages
  std::uint64_t sent_bytes = 0;
  std::uint32_t collection = 0;
  std::uint32_t file = 0;  ///< the reader's file that contains its name
};

/// The elements of a trace, in the order of their first occurrence. At most a million are kept apart; all
/// further ones share one account.
class element_table {
 public:
  static constexpr std::uint32_t others = 0;  ///< index of the elements beyond `most`
  static constexpr std::uint32_t none = 1;    ///< index for work of no element
  static constexpr std::uint32_t first = 2;   ///< index of the first element
  static constexpr std::size_t most = 1U << 20U;

  /// The element's index, which is added if new. O(1).
  std::uint32_t place_of(std::uint32_t collection, std::uint64_t element, std::uint32_t file);
  element_account& operator[](std::uint32_t place) { return accounts_[place]; }
  const std::vector<element_account>& accounts() const { return accounts_; }
  bool is_full() const { return accounts_.size() >= most + first; }

 private:
  std::size_t home_of(std::uint32_t collection, std::uint64_t element) const;
  void grow();

  std::vector<element_account> accounts_ = std::vector<element_account>(first);
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64);  // indices into `accounts_`; 0: unused
};

}  // namespace imbrex::tools
