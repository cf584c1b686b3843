// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <imbrex/core/name/operations.hpp>

namespace imbrex::detail {

/// Values of a reduction by key (`by_key`) on their way to the root. The order of combination is a binary
/// tree over the bits of the keys. A node combines the value of its lower half with that of its upper half. A
/// node with one empty half has the value of the other half. Each block is a node whose keys are all present,
/// so that its value does not depend on other blocks.
template <class V>
class key_blocks {
 public:
  /// Adds a value. The key must be greater than all earlier ones.
  template <class Op>
  void add(std::uint64_t key, V&& value) {
    push<Op>({key, 0, std::move(value)});
  }

  /// Adds the blocks of other keys.
  template <class Op>
  void merge(key_blocks&& added) {
    std::vector<block> before = std::exchange(blocks_, {});
    blocks_.reserve(before.size() + added.blocks_.size());
    auto next = added.blocks_.begin();
    for (auto& b : before) {
      for (; next != added.blocks_.end() && next->first < b.first; ++next) push<Op>(std::move(*next));
      push<Op>(std::move(b));
    }
    for (; next != added.blocks_.end(); ++next) push<Op>(std::move(*next));
  }

  /// Returns the value of the whole tree. There must be at least one key.
  template <class Op>
  V finish() {
    // Neighbours whose keys differ only in lower bits are combined first.
    std::vector<std::pair<V, int>>
        open;  // values with the number of bits in which the key differs from the next; numbers decrease
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      V value = std::move(blocks_[i].value);
      const bool is_last = i + 1 == blocks_.size();
      const int bits = is_last ? 65 : std::bit_width(blocks_[i].first ^ blocks_[i + 1].first);
      for (; !open.empty() && open.back().second < bits; open.pop_back())
        value = combined(Op{}, std::move(open.back().first), std::move(value));
      open.emplace_back(std::move(value), bits);
    }
    return std::move(open.back().first);
  }

  std::size_t size() const { return blocks_.size(); }
  void serialize(auto& ar) { ar(blocks_); }

 private:
  /// A block of 2^`level` keys from `first` on.
  struct block {
    std::uint64_t first = 0;
    std::uint8_t level = 0;
    V value{};
  };

  static bool are_halves(const block& lower, const block& upper) {
    if (lower.level != upper.level || lower.level >= 63) return false;
    const std::uint64_t keys = std::uint64_t{1} << lower.level;
    return (lower.first & (2 * keys - 1)) == 0 && upper.first == lower.first + keys;
  }
  template <class Op>
  void push(block&& added) {
    block b = std::move(added);
    for (; !blocks_.empty() && are_halves(blocks_.back(), b); blocks_.pop_back()) {
      auto& lower = blocks_.back();
      b = {lower.first, static_cast<std::uint8_t>(lower.level + 1),
           combined(Op{}, std::move(lower.value), std::move(b.value))};
    }
    blocks_.push_back(std::move(b));
  }

  std::vector<block> blocks_;  ///< in key order
};

}  // namespace imbrex::detail
