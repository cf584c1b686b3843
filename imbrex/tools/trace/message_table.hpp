// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::tools {

/// A message in flight.
struct message_in_flight {
  std::uint64_t address = 0;  ///< in its process; if packed, its number on the packing track
  std::uint64_t sent = 0;
  std::uint64_t ready = 0;  ///< the largest number until it has arrived
  std::uint64_t bytes = 0;
  std::uint32_t place = 0;   ///< process, or packing track | `packed_place`
  std::uint32_t sender = 0;  ///< sending track
  std::uint32_t number = 0;  ///< unique among messages in flight
  std::uint32_t chain = 0;   ///< causes: a number of `chain_store`, or 0
  std::uint32_t entry = 0;   ///< `trace::record::entry` that it calls
  std::uint32_t to = 0;      ///< receiving PE
  bool found = false;        ///< `ready` is the time of the PE's poll; it may have arrived before
};
inline constexpr std::uint32_t packed_place = 0x8000'0000U;

/// Messages by place and address: a hash table with open addressing and linear probing, without tombstones.
class message_table {
 public:
  message_table() : slots_(64, empty()), mask_(63) {}

  /// Prefetches the slot of a message.
  void fetch(std::uint32_t place, std::uint64_t address) const {
    __builtin_prefetch(&slots_[home(place, address)], 1);
  }
  /// The message, or null; valid until the next change.
  message_in_flight* find(std::uint32_t place, std::uint64_t address) {
    message_in_flight& slot = slot_of(place, address);
    return slot.place == nobody ? nullptr : &slot;
  }
  /// Adds a message with a new place and address. The caller writes it at once.
  message_in_flight& add(std::uint32_t place, std::uint64_t address) {
    if (4 * ++size_ > 3 * slots_.size()) grow();
    return slot_of(place, address);
  }
  void erase(message_in_flight* message);
  /// Erases all messages sent before `time`, after calling `forget` with each.
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
  /// The mean time of the sends; the table must not be empty.
  std::uint64_t mean_sent() const;
  /// The earliest time of the sends, or the largest number if the table is empty. O(slots).
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
  /// The message's slot, or the free slot for it.
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
