// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::mpi {

/// Assigns numbers to objects that messages refer to. The number of a removed object finds nothing, nor does
/// a number that was never assigned.
template <class T>
class slot_table {
 public:
  std::uint64_t add(T& object) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.push_back({});
    }
    const std::uint32_t at = free_.back();
    free_.pop_back();
    slots_[at].object = &object;
    return std::uint64_t{slots_[at].generation} << 32U | at;
  }
  T* find(std::uint64_t number) const {
    const auto at = static_cast<std::uint32_t>(number);
    if (at >= slots_.size() || slots_[at].generation != number >> 32U) return nullptr;
    return slots_[at].object;
  }
  void remove(std::uint64_t number) {
    const auto at = static_cast<std::uint32_t>(number);
    slots_[at].object = nullptr;
    ++slots_[at].generation;
    free_.push_back(at);
  }
  std::size_t size() const { return slots_.size() - free_.size(); }

 private:
  struct slot {
    T* object = nullptr;
    std::uint32_t generation = 0;
  };
  std::vector<slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace imbrex::mpi
