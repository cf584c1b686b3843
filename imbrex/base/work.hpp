// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex {

class reader;
class writer;
struct chare_header;

namespace detail {

struct work;

/// The functions of one kind of work: one constant object for each kind, so that an item costs one pointer
/// for it. `pack` and `unpack` are null for work that never leaves its process.
struct work_type {
  const char* name;
  void (*run)(work&);               ///< consumes the item
  void (*destroy)(work&) noexcept;  ///< destroys the item without running it
  void (*pack)(work&, writer&);     ///< writes the input of `unpack`; the item remains
  work* (*unpack)(reader&);         ///< a new item, allocated from this PE's pool
  bool brings_message = false;      ///< carries a message over a modelled link, or admits it
  /// Finds the element that the item is for, on the PE that runs it; null if it is not there. Null for items
  /// without an addressee.
  chare_header* (*addressee)(const work&) = nullptr;
  /// Consumes the item like `run`, which it spares the search for the addressee. Null where that is.
  void (*run_at)(work&, chare_header& addressee) = nullptr;
};

/// An item that a PE runs: a message, a resumption, a completion. Queues link it by `next`.
///
/// Access: the creator until it pushes or posts the item; then the queue (only `next`); then the PE that runs
/// or destroys it.
struct work {
  work* next = nullptr;
  const work_type* type = nullptr;
  std::int8_t priority = 0;        ///< lower first; the default is 0
  bool coalesced : 1 = false;      ///< may wait to be sent to another process together with others
  bool may_find_none : 1 = false;  ///< the receiving element may have ended; it is then skipped
  bool of_one_life : 1 = false;    ///< only for that element, not for a later one of its key (message::bind)
  bool is_object : 1 = false;      ///< cannot be packed: stays in its process, and has no size
  bool has_attachments : 1 = false;  ///< is sent with memory that its bytes do not contain
  std::uint8_t no_flags : 3 = 0;     ///< the rest of their byte, so that it is written at once
  std::uint16_t born_above = 0;      ///< upper 16 bits of `message::born`, with `of_one_life`
  std::uint32_t origin = 0;          ///< PE that made the item
};

}  // namespace detail
}  // namespace imbrex
