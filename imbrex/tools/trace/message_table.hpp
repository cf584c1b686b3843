// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::tools {

/// A message on its way.
struct message_in_flight {
  std::uint64_t address =
      0;  ///< in its process; of one that is bytes, its number on the track that packed it
  std::uint64_t sent = 0;
  std::uint64_t ready = 0;  ///< the largest number until it has arrived
  std::uint64_t bytes = 0;
  std::uint32_t place = 0;   ///< the process, or the track that packed it and `packed_place`
  std::uint32_t sender = 0;  ///< the track that sent it
  std::uint32_t number = 0;  ///< that no other on its way has
  std::uint32_t chain = 0;   ///< what led to it: a number of `chain_store`, or 0
  std::uint32_t entry = 0;   ///< that it calls, `trace::record::entry`
  std::uint32_t to = 0;      ///< the PE that it was sent to
  bool found = false;        ///< `ready` is when its PE looked: it may have come before
};
inline constexpr std::uint32_t packed_place = 0x8000'0000U;

/// Messages by place and address: a hash table with open addresses and linear probing, without tombstones.
class message_table {
 public:
  message_table() : slots_(64, empty()), mask_(63) {}

  /// Asks for the place where a message is, or would be.
  void fetch(std::uint32_t place, std::uint64_t address) const {
    __builtin_prefetch(&slots_[home(place, address)], 1);
  }
  /// Nothing, or the message there; valid until the next change.
  message_in_flight* find(std::uint32_t place, std::uint64_t address) {
    message_in_flight& slot = slot_of(place, address);
    return slot.place == nobody ? nullptr : &slot;
  }
  /// Adds one whose place and address no other has, and which the caller writes at once.
  message_in_flight& add(std::uint32_t place, std::uint64_t address) {
    if (4 * ++size_ > 3 * slots_.size()) grow();
    return slot_of(place, address);
  }
  void erase(message_in_flight* message);
  /// Calls `forget` with each that was sent before `time`, and erases it.
  template <class Forget>
  void erase_sent_before(std::uint64_t time, Forget forget) {
    std::vector<message_in_flight> old;
    old.swap(slots_);
    slots_.resize(old.size(), empty());
    size_ = 0;
    for (const message_in_flight& message : old) {
      if (message.place == nobody) continue;
      if (message.sent < time)
        forget(message);
      else
        add(message.place, message.address) = message;
    }
  }
  /// The mean of the times at which they were sent; there is at least one.
  std::uint64_t mean_sent() const;
  /// The earliest of them, or the largest number. O(slots).
  std::uint64_t first_sent() const;
  std::size_t slots() const { return slots_.size(); }
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  static message_in_flight empty() {
    message_in_flight none;
    none.place = nobody;
    return none;
  }
  std::size_t home(std::uint32_t place, std::uint64_t address) const {
    const std::uint64_t mixed = (address ^ (std::uint64_t{place} << 40U)) * 0x9e37'79b9'7f4a'7c15U;
    return (mixed ^ mixed >> 32U) & mask_;
  }
  /// The message there, or where it would be.
  message_in_flight& slot_of(std::uint32_t place, std::uint64_t address) {
    std::size_t at = home(place, address);
    while (slots_[at].place != nobody && (slots_[at].address != address || slots_[at].place != place))
      at = (at + 1) & mask_;
    return slots_[at];
  }
  void grow();

  std::vector<message_in_flight> slots_;
  std::size_t mask_;
  std::size_t size_ = 0;
};

}  // namespace imbrex::tools
