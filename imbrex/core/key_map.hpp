// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <imbrex/core/key.hpp>

namespace imbrex::detail {

/// From keys to pointers, never null: open addressing with linear probing (Knuth, TAOCP 3, 6.4), at most
/// three quarters full, erased by moving back what follows. It stands on the path of every message: a look-up
/// is one hash and, nearly always, one cache line. std::unordered_map needs three and an allocation for each
/// element.
template <class Key, class Value>
class key_map {
 public:
  std::size_t size() const { return size_; }

  Value* find(const Key& key) const {
    if (size_ == 0) return nullptr;
    for (std::size_t i = place(key);; i = (i + 1) & mask()) {
      const auto& s = slots_[i];
      if (s.value == nullptr || s.key == key) return s.value;
    }
  }

  /// The key must not be in the map.
  void insert(const Key& key, Value& value) {
    if (4 * (size_ + 1) > 3 * slots_.size()) grow(size_ + 1);
    put(key, &value);
    ++size_;
  }

  /// The key must be in the map.
  void erase(const Key& key) {
    std::size_t hole = place(key);
    while (!(slots_[hole].key == key && slots_[hole].value != nullptr)) hole = (hole + 1) & mask();
    for (std::size_t i = (hole + 1) & mask(); slots_[i].value != nullptr; i = (i + 1) & mask()) {
      const std::size_t wanted = place(slots_[i].key);
      if (((i - wanted) & mask()) < ((i - hole) & mask()))
        continue;  // may not move before the place it hashes to
      slots_[hole] = std::move(slots_[i]);
      hole = i;
    }
    slots_[hole] = {};
    --size_;
  }

  void reserve(std::size_t n) {
    if (4 * n > 3 * slots_.size()) grow(n);
  }

 private:
  struct slot {
    Key key{};
    Value* value = nullptr;
  };

  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t place(const Key& key) const { return static_cast<std::size_t>(key_hash(key) >> shift_); }

  void put(const Key& key, Value* value) {
    std::size_t i = place(key);
    while (slots_[i].value != nullptr) i = (i + 1) & mask();
    slots_[i] = {key, value};
  }

  void grow(std::size_t n) {
    const std::size_t capacity = std::bit_ceil(n * 4 / 3 + 8);
    std::vector<slot> bigger(capacity);
    std::swap(slots_, bigger);
    shift_ = 64 - std::countr_zero(capacity);
    for (auto& s : bigger)
      if (s.value != nullptr) put(s.key, s.value);
  }

  std::vector<slot> slots_;
  std::size_t size_ = 0;
  int shift_ = 63;
};

}  // namespace imbrex::detail
