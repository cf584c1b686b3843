// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::tools {

/// What a trace tells of one element of a collection.
struct element_account {
  std::uint64_t element = 0;
  std::uint64_t busy = 0;   ///< ns in which it ran, without what ran inside
  std::uint64_t calls = 0;  ///< of its entries, those that messages began
  std::uint64_t sent = 0;   ///< messages
  std::uint64_t sent_bytes = 0;
  std::uint32_t collection = 0;
  std::uint32_t file = 0;  ///< of the reader: one in which its name stands
};

/// The elements that a trace tells of, by the order in which they come. There are at most a million; what
/// more there are is one.
class element_table {
 public:
  static constexpr std::uint32_t others = 0;  ///< the place of those for which there is no room
  static constexpr std::uint32_t none = 1;    ///< the place of what runs no element
  static constexpr std::uint32_t first = 2;   ///< the place of the first element
  static constexpr std::size_t most = 1U << 20U;

  /// Its place. O(1).
  std::uint32_t place_of(std::uint32_t collection, std::uint64_t element, std::uint32_t file);
  element_account& operator[](std::uint32_t place) { return accounts_[place]; }
  const std::vector<element_account>& accounts() const { return accounts_; }
  bool is_full() const { return accounts_.size() >= most + first; }

 private:
  std::size_t home_of(std::uint32_t collection, std::uint64_t element) const;
  void grow();

  std::vector<element_account> accounts_ = std::vector<element_account>(first);
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64);  // places; 0 where there is none
};

}  // namespace imbrex::tools
