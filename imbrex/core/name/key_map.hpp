// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/standard/sort.hpp>
#include <imbrex/core/name/key.hpp>

namespace imbrex::detail {

/// A map from keys to pointers, which are never null. Every message does a look-up, so speed matters: a
/// look-up is one multiplication and, nearly always, one cache line. std::unordered_map needs three cache
/// lines, and an allocation for each element.
///
/// A factor is multiplied by the key (or by its hash, if it is no integer); the high bits of the product are
/// the key's slot. There are two kinds of table:
/// - direct: the factor is a power of two, so that the slot is given by some bits of the key. Each key is in
///   its own slot, and the table may be full. Keys without gaps lie side by side, wherever they begin. So do
///   keys at equal distances: the low bits that are equal in all keys are left out.
/// - scattered: the factor mixes all bits, and a key is in its own slot or behind it (open addressing with
///   linear probing: Knuth, TAOCP 3, 6.4). At most three quarters of the slots are used, and keys behind an
///   erased one move back.
///
/// A table of integers begins direct. When the slot of a new key is taken, more bits are left out if that
/// separates all keys. Otherwise the table is scattered until it is next enlarged. So a table of one size is
/// seldom rearranged more than twice, and is never larger than an always scattered one.
template <class Key, class Value>
class key_map {
 public:
  std::size_t size() const { return size_; }
  /// Number of slots of the table.
  std::size_t capacity() const { return most_ == 0 ? 0 : slots_.size() - 1; }

  Value* find(const Key& key) const {
    for (std::size_t i = order_.place(key);; i = order_.next(i)) {
      const auto& s = slots_[i];
      if (s.key == key) [[likely]]  // an empty slot may have this key, too, but its value is null
        return s.value;
      if (s.value == nullptr) return nullptr;
    }
  }

  /// The key must not be in the map. An exception leaves the map as it was.
  void insert(const Key& key, Value& value) {
    if (size_ == most_ || (order_.is_direct() && slots_[order_.place(key)].value != nullptr)) [[unlikely]]
      make_room(key);
    put(slots_, order_, {key, &value});
    ++size_;
  }

  /// The key must be in the map. An exception leaves the map as it was.
  void erase(const Key& key) {
    std::size_t hole = order_.place(key);
    if (!order_.is_direct()) {
      while (slots_[hole].value == nullptr || !(slots_[hole].key == key)) hole = order_.next(hole);
      for (std::size_t i = order_.next(hole); slots_[i].value != nullptr; i = order_.next(i)) {
        const std::size_t home_slot = order_.place(slots_[i].key);
        if (((i - home_slot) & order_.mask) < ((i - hole) & order_.mask))
          continue;  // may not move before the slot given by its hash
        std::swap(slots_[hole], slots_[i]);
        hole = i;
      }
    }
    slots_[hole] = {};
    --size_;
  }

  /// Makes room for `n` keys without gaps, in an empty map.
  void reserve(std::size_t n) {
    if (n <= most_) return;
    const std::size_t capacity = std::bit_ceil(std::max(least_capacity, are_integers ? n : n + n / 3 + 1));
    arrange(are_integers ? direct(capacity, 0) : scattered(capacity), capacity, nullptr);
  }

 private:
  static constexpr bool are_integers = std::is_integral_v<Key> || std::is_enum_v<Key>;
  static constexpr std::size_t least_capacity = 16;

  struct slot {
    Key key{};
    Value* value = nullptr;
  };
  using table = std::vector<slot>;  ///< capacity slots and an empty one

  struct order {
    std::uint64_t factor = 1;
    int shift = 63;        ///< right shift of the product
    std::size_t mask = 0;  ///< mask of slots; 0 in a direct table
    std::size_t end = 0;   ///< in a direct table the empty slot at which an unsuccessful look-up ends

    bool is_direct() const { return end != 0; }
    std::size_t place(const Key& key) const {
      if constexpr (are_integers)
        return static_cast<std::size_t>(static_cast<std::uint64_t>(key) * factor >> shift);
      else
        return static_cast<std::size_t>(key_hash(key) >> shift);
    }
    std::size_t next(std::size_t i) const { return ((i + 1) & mask) | end; }
  };
  static int shift_to(std::size_t capacity) { return 64 - std::countr_zero(capacity); }
  static order scattered(std::size_t capacity) {
    return {0x9e3779b97f4a7c15U, shift_to(capacity), capacity - 1, 0};
  }
  static order direct(std::size_t capacity, int bits_left_out) {
    const int shift = shift_to(capacity);
    return {std::uint64_t{1} << (shift - std::min(bits_left_out, shift)), shift, 0, capacity};
  }

  static void put(table& in, const order& o, slot s) {
    std::size_t i = o.place(s.key);
    while (in[i].value != nullptr) i = o.next(i);
    in[i] = std::move(s);
  }

  /// Rearranges the table for a new key: the table is full, or the key's slot is taken.
  void make_room(const Key& key) {
    const bool is_full = size_ == most_;
    std::size_t capacity = is_full ? std::max(least_capacity, 2 * this->capacity()) : this->capacity();
    if constexpr (are_integers) {
      const order o = direct(capacity, bits_in_common(key));
      if ((is_full || o.factor < order_.factor) && arrange(o, capacity, &key)) return;
    }
    if (4 * (size_ + 1) > 3 * capacity) capacity *= 2;
    arrange(scattered(capacity), capacity, nullptr);
  }

  /// The number of low bits that are equal in all keys and `key`.
  int bits_in_common(const Key& key) const {
    std::uint64_t differing = 0;
    for (const auto& s : slots_)
      if (s.value != nullptr)
        differing |= static_cast<std::uint64_t>(s.key) ^ static_cast<std::uint64_t>(key);
    return differing == 0 ? 0 : std::countr_zero(differing);
  }

  /// Moves all keys into another table. Returns false, and moves none, if two keys (`next` included) would
  /// share a slot of a direct table. Keys are copied, since the hash of one may throw.
  bool arrange(const order& o, std::size_t capacity, const Key* next) {
    table arranged(capacity + 1);
    for (const auto& s : slots_) {
      if (s.value == nullptr) continue;
      if (o.is_direct() && arranged[o.place(s.key)].value != nullptr) return false;
      put(arranged, o, s);
    }
    if (next != nullptr && arranged[o.place(*next)].value != nullptr) return false;
    slots_ = std::move(arranged);
    order_ = o;
    most_ = o.is_direct() ? capacity : capacity / 4 * 3;
    return true;
  }

  table slots_ = table(2);  ///< capacity 0 at first: every look-up ends in one of two empty slots
  std::size_t size_ = 0;
  std::size_t most_ = 0;  ///< upper bound of size_
  order order_;
};

}  // namespace imbrex::detail
