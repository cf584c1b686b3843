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

/// The record of a message that became bytes, which travels with them.
struct packing_record {
  std::uint32_t track = 0;   ///< of the trace, that has it
  std::uint32_t number = 0;  ///< among those of this track
};

/// A message that leaves for a PE. Its size is counted when the first observer asks for it.
class departing_message {
 public:
  departing_message(detail::work& m, int to) : message_(m), to_(to) {}

  const detail::work& message() const { return message_; }
  /// The PE that it goes to, which may be this one.
  int to() const { return to_; }
  /// What it takes when packed; 0 if it cannot be.
  std::uint64_t bytes() const;

 private:
  detail::work& message_;
  int to_;
  mutable std::optional<std::uint64_t> bytes_;
};

/// Whoever watches what a PE does, or the communication thread: a trace, counts, a meter of load, the lock of
/// an interpreter. Everything is called on the watched thread, and does nothing unless it is overridden; only
/// the answers to those who wait for quiescence (`quiescent`, `sent`) may be told on another one, while that
/// of the PE sleeps. Messages are given as the `work` that they are.
///
/// The element that runs: that of an entry's message from `item_begins` on, that of a turn in a broadcast
/// from `turn_begins` to `turn_ends`, and from `resumed` on the one whose entry that is (`scope::chare`), to
/// the end of the item or until another is told of. An entry that tells `suspended` may go on with other
/// tasks of a `when_all`.
class observer {
 public:
  // The thread.

  /// Before the PE's first item, and after its chares have been destroyed; between the last item and that the
  /// thread parks. Machines that step all PEs with one thread tell each PE's observers of it; that thread
  /// parks while nothing goes on and an `executor` is held.
  virtual void thread_begins() {}
  virtual void thread_ends() {}
  /// There is nothing to do; the thread sleeps. Between items.
  virtual void parks() {}
  virtual void wakes() {}

  // Items.

  /// The item is about to run; it may be gone at its end.
  virtual void item_begins(const detail::work& /*item*/) {}
  virtual void item_ends() {}
  /// One element's turn in a broadcast, which is one item for all.
  virtual void turn_begins(const detail::local_array& /*part*/, const chare_header& /*element*/,
                           const detail::work_type& /*entry*/, const detail::work& /*broadcast*/) {}
  virtual void turn_ends() {}

  // Messages.

  virtual void sent(const departing_message& /*what*/) {}
  /// A message becomes bytes. Returns what is to travel with them, if anything.
  virtual std::optional<packing_record> packed(const detail::work& /*message*/) { return std::nullopt; }
  /// A message has come out of bytes with that record.
  virtual void arrived(const detail::work& /*message*/, const packing_record& /*packed*/) {}
  /// A message came to the end of a modelled link that long ago.
  virtual void arrived(const detail::work& /*message*/, nanoseconds /*ago*/) {}

  // Waits of entries.

  virtual void suspended(const suspension& /*what*/) {}
  virtual void resumed(const suspension& /*what*/) {}
  /// The entry that waited was destroyed; of what it waited for only the cause is left.
  virtual void abandoned(const scope& /*entry*/, trace::wait_cause /*cause*/) {}
  /// An entry takes the value that a message brought for this reference number.
  virtual void received(const detail::work& /*message*/, std::int64_t /*reference*/) {}
  /// What runs adds its part to what several make together, or if it `completes`, all parts are there.
  /// `whole` and `number` name it until then.
  virtual void gathered(const void* /*whole*/, std::uint64_t /*number*/, bool /*completes*/) {}
  /// Those who wait for quiescence are answered next.
  virtual void quiescent() {}

  // Arrays and elements.

  /// This PE's part of an array is here.
  virtual void created(const detail::collection_part& /*part*/) {}
  virtual void created(const detail::local_array& /*part*/, const chare_header& /*element*/) {}
  virtual void destroyed(const detail::local_array& /*part*/, const chare_header& /*element*/) {}
  /// An element leaves for another PE, and comes from another.
  virtual void departs(const detail::local_array& /*part*/, const chare_header& /*element*/, int /*to*/) {}
  virtual void arrives(const detail::local_array& /*part*/, const chare_header& /*element*/) {}

 protected:
  ~observer() = default;
};

/// What an observer is told of.
enum class observed : std::uint8_t {
  thread,     ///< of the thread alone, which costs the others nothing
  everything  ///< then messages to other processes take no short path
};

/// The observers of a PE that are told of everything, in the order in which they came.
class observer_list {
 public:
  void add(observer& o) { all_.push_back(&o); }

  template <class Event>
  void tell(const Event& event) const {
    for (observer* const o : all_) event(*o);
  }
  /// Ends what `tell` has begun: the last first.
  template <class Event>
  void tell_backward(const Event& event) const {
    for (std::size_t left = all_.size(); left > 0; --left) event(*all_[left - 1]);
  }

  // What hot paths tell, apart from them.

  void turn_begins(const detail::local_array& part, const chare_header& element,
                   const detail::work_type& entry, const detail::work& broadcast) const;
  void turn_ends() const;
  /// What is to travel with the bytes; of several that want something the last.
  std::optional<packing_record> packed(const detail::work& message) const;
  void entered(const detail::local_array& part, const chare_header& element, bool is_new) const;
  void destroyed(const detail::local_array& part, const chare_header& element) const;
  void suspended(const suspension& what) const;
  void resumed(const suspension& what) const;
  void abandoned(const scope& entry, trace::wait_cause cause) const;
  void received(const detail::work& message, std::int64_t reference) const;
  void gathered(const void* whole, std::uint64_t number, bool completes) const;

  /// Those of the PE that this thread runs; null if nobody watches it.
  static const observer_list* here() { return here_; }
  /// Returns what was set before.
  static const observer_list* set_here(const observer_list* now) {
    const auto* const before = here_;
    here_ = now;
    return before;
  }

 private:
  static inline constinit thread_local const observer_list* here_ = nullptr;

  std::vector<observer*> all_;
};

/// Tells of something that several make together on this thread (`observer::gathered`).
inline void tell_part(const void* whole, std::uint64_t number) {
  if (const auto* const observers = observer_list::here()) [[unlikely]]
    observers->gathered(whole, number, false);
}
inline void tell_complete(const void* whole, std::uint64_t number) {
  if (const auto* const observers = observer_list::here()) [[unlikely]]
    observers->gathered(whole, number, true);
}

}  // namespace imbrex
