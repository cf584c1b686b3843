// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex {

class reader;
class writer;

namespace detail {

struct work;

/// What can be done with one kind of work: one constant object for each kind, so that an item in a queue
/// costs one pointer for it. `pack` and `unpack` are null for work that never leaves its process.
struct work_type {
  const char* name;
  void (*run)(work&);               ///< consumes the item
  void (*destroy)(work&) noexcept;  ///< throws the item away unrun
  void (*pack)(work&, writer&);     ///< writes what `unpack` reads; the item remains
  work* (*unpack)(reader&);         ///< a new item, allocated from this PE's pool
  bool brings_message = false;      ///< it carries a message over a modelled link, or lets it in
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
  bool of_one_life : 1 = false;    ///< to that element alone, and to none later of its key (message::bind)
  bool is_object : 1 = false;      ///< holds what cannot become bytes, stays in its process, and has no size
  bool has_device_memory : 1 = false;  ///< before it goes to another process that is to be copied to the host
  bool lent_before : 1 = false;        ///< it tells of memory of devices what another message has told
  std::uint8_t no_flags : 2 = 0;       ///< the rest of their byte, so that it is written at once
  std::uint16_t born_above = 0;        ///< of when that life began, what 32 bits do not hold
  std::uint32_t origin = 0;            ///< the PE that made the item
};

}  // namespace detail
}  // namespace imbrex
