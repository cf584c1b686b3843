// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex {

class reader;
class writer;
struct work;

/// What can be done with one kind of work: one constant object for each kind, so that an item in a queue
/// costs one pointer for it. `pack` and `unpack` are null for work that never leaves its process.
struct work_type {
  const char* name;
  void (*run)(work&);               ///< consumes the item
  void (*destroy)(work&) noexcept;  ///< throws the item away unrun
  void (*pack)(work&, writer&);     ///< writes what `unpack` reads; the item remains
  work* (*unpack)(reader&);         ///< a new item, allocated from this PE's pool
};

/// An item that a PE runs: a message, a resumption, a completion. Queues link it by `next`.
///
/// Who may touch what: the creator until it pushes or posts the item; then the queue (only `next`); then the
/// PE that runs or destroys it.
struct work {
  work* next = nullptr;
  const work_type* type = nullptr;
  std::int8_t priority = 0;        ///< lower first; 0 is what messages have that ask for none
  bool coalesced : 1 = false;      ///< may wait to cross to another process together with others
  bool may_find_none : 1 = false;  ///< to an element that may have ended, and then is passed over
  std::uint8_t life : 6 = 0;       ///< of that element alone, if not 0, and of none later (core/location.hpp)
  std::uint16_t location_hint = 0;  ///< how new the place is that it was sent to (core/location.hpp)
  std::uint32_t origin = 0;         ///< the PE that made the item
};

}  // namespace imbrex
