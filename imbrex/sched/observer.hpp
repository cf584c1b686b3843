// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/work.hpp>
#include <imbrex/trace/record.hpp>

namespace imbrex {

class suspension;
struct chare_header;
struct scope;

namespace detail {
class collection_part;
class local_array;
}  // namespace detail

/// The number of a record about a packed message, sent with the message.
struct packing_record {
  std::uint32_t track = 0;   ///< track of the trace with the record
  std::uint32_t number = 0;  ///< number of the record on that track
};

/// A message that leaves for a PE. Its size is computed when the first observer requests it.
class departing_message {
 public:
  /// `to`: PE that the message goes to.
  departing_message(detail::work& m, int to) : message_(m), to_(to) {}

  /// The message as it is in the queues of its sender.
  const detail::work& message() const { return message_; }
  /// The receiving PE, which may be this one.
  int to() const { return to_; }
  /// The packed size; 0 if it cannot be packed.
  std::uint64_t bytes() const;

 private:
  detail::work& message_;
  int to_;
  mutable std::uint64_t bytes_ = 0;
  mutable bool is_measured_ = false;
};

/// An observer of a PE or of the communication thread: a trace, counts, a meter of load, the lock of an
/// interpreter. All callbacks run on the observed thread, and do nothing unless overridden. Exception: the
/// replies to code that waits for quiescence (`quiescent`, `sent`) may be reported on another thread, while
/// the PE's thread sleeps. Messages are passed as `work`.
///
/// The running element is that of an entry's message from `item_begins` on, and that of a broadcast from
/// `turn_begins` to `turn_ends`. From `resumed` on it is the element of that entry (`scope::chare`), to the
/// end of the item or until another is reported. An entry that reports `suspended` may continue with other
/// tasks of a `when_all`.
class observer {
 public:
  // Callbacks of the thread.

  /// `thread_begins` comes before the PE's first item, `thread_ends` after its chares have been destroyed.
  /// The thread parks between the last item and `thread_ends`. Machines that step all PEs with one thread
  /// notify each PE's observers. That thread parks while nothing runs and an `executor` is held.
  virtual void thread_begins() {}
  virtual void thread_ends() {}  ///< The thread of the PE ends.
  /// The thread has nothing to do and sleeps. Between items.
  virtual void parks() {}
  virtual void wakes() {}  ///< The PE, which was parked, goes on.

  // Callbacks of items.

  /// The item is about to run; it may be destroyed at its end.
  virtual void item_begins(const detail::work& /*item*/) {}
  virtual void item_ends() {}  ///< The work that began last has ended.
  /// One element's part of a broadcast, which is one item for all elements.
  virtual void turn_begins(const detail::local_array& /*part*/, const chare_header& /*element*/,
                           const detail::work_type& /*entry*/, const detail::work& /*broadcast*/) {}
  virtual void turn_ends() {}  ///< The turn of the element that began last has ended.

  // Callbacks of messages.

  virtual void sent(const departing_message& /*message*/) {}  ///< A message leaves its sender.
  /// A message was packed. Returns a record to send with the bytes, if any.
  virtual std::optional<packing_record> packed(const detail::work& message);
  /// A message was unpacked from bytes with that record.
  virtual void arrived(const detail::work& /*message*/, const packing_record& /*packed*/) {}
  /// A message reached the end of a modelled link `ago` before.
  virtual void arrived(const detail::work& /*message*/, nanoseconds /*ago*/) {}

  // Callbacks of waiting entries.

  virtual void suspended(const suspension& /*wait*/) {}  ///< An entry begins to wait.
  virtual void resumed(const suspension& /*wait*/) {}    ///< The wait of an entry has ended.
  /// The waiting entry was destroyed; of its `suspension` only the cause remains.
  virtual void abandoned(const scope& /*entry*/, trace::wait_cause /*cause*/) {}
  /// An entry takes the value that a message brought for this reference number.
  virtual void received(const detail::work& /*message*/, std::int64_t /*reference*/) {}
  /// The running code adds its part to a joint result or, if it `completes`, all parts are there. `whole` and
  /// `number` identify the result until then.
  virtual void gathered(const void* /*whole*/, std::uint64_t /*number*/, bool /*completes*/) {}
  /// The next messages reply to code that waits for quiescence.
  virtual void quiescent() {}

  // Callbacks of arrays and elements.

  /// This PE's part of an array was created.
  virtual void created(const detail::collection_part& /*part*/) {}
  virtual void created(const detail::local_array& /*part*/, const chare_header& /*element*/) {}
  /// An element is destroyed on this PE.
  virtual void destroyed(const detail::local_array& /*part*/, const chare_header& /*element*/) {}
  /// An element leaves for another PE, or arrives from another.
  virtual void departs(const detail::local_array& /*part*/, const chare_header& /*element*/, int /*to*/) {}
  /// An element arrives from another PE.
  virtual void arrives(const detail::local_array& /*part*/, const chare_header& /*element*/) {}
  /// An element stays although other code has requested its migration: another of its entries is suspended.
  virtual void stays(const detail::local_array& /*part*/, const chare_header& /*element*/, int /*other_pe*/) {
  }

 protected:
  ~observer() = default;
};

/// The events that an observer receives.
enum class observed : std::uint8_t {
  thread,      ///< only the thread's; items and messages then cost no more
  items,       ///< also the beginnings and ends of items; messages then cost no more
  elements,    ///< also turns, waits and values of elements, and their births, ends and moves
  everything,  ///< all; messages to other processes then do not take the short path
};

/// The observers of all of a PE's events, in the order of their attachment.
class observer_list {
 public:
  void add(observer& o);

  template <class Event>
  void tell(const Event& event) const {
    for (observer* const o : all_) event(*o);
  }
  /// Reports the end of an event that `tell` has begun: the last observer first.
  template <class Event>
  void tell_backward(const Event& event) const {
    for (std::size_t left = all_.size(); left > 0; --left) event(*all_[left - 1]);
  }

  // Functions for events of hot paths, kept out of line.

  void turn_begins(const detail::local_array& part, const chare_header& element,
                   const detail::work_type& entry, const detail::work& broadcast) const;
  void turn_ends() const;
  /// The record to send with the bytes; the last one if several observers return one.
  std::optional<packing_record> packed(const detail::work& message) const;
  void entered(const detail::local_array& part, const chare_header& element, bool is_new) const;
  void destroyed(const detail::local_array& part, const chare_header& element) const;
  void suspended(const suspension& what) const;
  void resumed(const suspension& what) const;
  void abandoned(const scope& entry, trace::wait_cause cause) const;
  void received(const detail::work& message, std::int64_t reference) const;
  void gathered(const void* whole, std::uint64_t number, bool completes) const;

  /// The observers of the PE that this thread runs; null if there are none.
  static const observer_list* here() { return here_; }
  /// Sets the observers of this thread. Returns the earlier ones.
  static const observer_list* set_here(const observer_list* now) {
    const auto* const before = here_;
    here_ = now;
    return before;
  }

 private:
  static inline constinit thread_local const observer_list* here_ = nullptr;

  std::vector<observer*> all_;
};

/// The observers of a thread, by the events that they receive.
struct observer_levels {
  observer_list thread;                          ///< all observers
  observer_list items;                           ///< observers of items
  observer_list elements;                        ///< observers of the elements' events
  observer_list everything;                      ///< observers of all events
  const observer_list* if_items = nullptr;       ///< null if `items` is empty
  const observer_list* if_elements = nullptr;    ///< null if `elements` is empty
  const observer_list* if_everything = nullptr;  ///< null if `everything` is empty

  /// Adds an observer of these events, which must outlive the PE.
  void add(observer& o, observed what);
};

/// Report a part of a joint result, and its completion, on this thread (`observer::gathered`).
inline void tell_part(const void* whole, std::uint64_t number) {
  if (const auto* const observers = observer_list::here()) [[unlikely]]
    observers->gathered(whole, number, false);
}
/// Reports that all parts of a joint result are there.
inline void tell_complete(const void* whole, std::uint64_t number) {
  if (const auto* const observers = observer_list::here()) [[unlikely]]
    observers->gathered(whole, number, true);
}

}  // namespace imbrex
