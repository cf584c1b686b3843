// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <imbrex/sched/scheduler.hpp>

namespace imbrex {

struct chare_header;
struct message;
struct message_type;

namespace detail {

class collection_part;
class local_array;

/// The record of a message that became bytes, which travels with them.
struct packing_record {
  std::uint32_t track = 0;   ///< of the trace, that has it
  std::uint32_t number = 0;  ///< among those of this track
};

/// Who watches a PE: hears of what the core does there, beside items that run and sleep. Its thread's.
class pe_observer : public item_observer {
 public:
  /// That of a scheduler; null if nobody watches it.
  static pe_observer* of(const scheduler& s) { return static_cast<pe_observer*>(s.observer()); }
  static pe_observer* of_this_thread() {
    const scheduler* const s = scheduler::current();
    return s == nullptr ? nullptr : of(*s);
  }

  /// A message leaves for a PE, which may be this one.
  virtual void sent(message& m, int to) = 0;
  /// A message becomes bytes. Nothing if it is not recorded.
  virtual std::optional<packing_record> packed(const message& m) = 0;
  /// A message has come out of bytes with that record.
  virtual void arrived(const message& m, const packing_record& packed) = 0;
  /// The part of an array that this PE has is here.
  virtual void created(const collection_part& part) = 0;
  virtual void created(const local_array& part, const chare_header& element) = 0;
  /// One element's turn in a broadcast, which is one item for all.
  virtual void turn_begins(const message_type& entry, const local_array& part, const chare_header& element,
                           const message& broadcast) = 0;
  virtual void turn_ends() = 0;

 protected:
  ~pe_observer() = default;
};

}  // namespace detail
}  // namespace imbrex
