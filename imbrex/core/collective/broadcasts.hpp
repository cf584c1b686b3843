// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <imbrex/core/message/message.hpp>

namespace imbrex {

struct chare_header;

namespace detail {

class local_array;

/// A message to all elements of an array, without the entry's type.
struct broadcast_message : message {
  std::uint64_t number = 0;  ///< 0 until the root has given one
  std::uint64_t pruned = 0;  ///< all PEs have done with the broadcasts up to this one
  bool was_early = false;    ///< it came before its turn on this PE

  virtual ~broadcast_message() = default;
  /// Another message of the same content.
  virtual broadcast_message& copy() const = 0;
  /// Gives it to all local elements that have not had it. Returns how many; a reduction of what the entry
  /// returns expects an answer from each.
  virtual std::size_t deliver_to_locals(local_array& part) = 0;
  /// Sends it to one element that came to this PE too late for `deliver_to_locals`.
  virtual void deliver_late(local_array& part, chare_header& element) = 0;
  /// At the root: all elements that got it are counted.
  virtual void all_delivered(local_array& part, std::uint64_t elements) = 0;
};

/// Broadcasts to an array, exactly once to each element though elements migrate.
///
/// The root numbers them and sends them down a tree of PEs (`tree_place`). Each PE delivers them in the order
/// of their numbers, each in a turn of its own, so that what an entry has asked for (to end, to migrate)
/// comes in between; an element carries the number of the last that it got. An element that arrives with an
/// older number than its new PE has reached is given what it missed, from the log; one with a newer number is
/// passed over until the PE has caught up.
///
/// A PE is done with a broadcast when it has delivered it and no element that left before is still on its way
/// (its new PE confirms each arrival and says what it delivered late). When it and all below it in the tree
/// are done, it reports so to its parent. The root then knows how many elements got it, and everybody may
/// forget it: the next broadcasts carry that news.
class broadcast_station {
 public:
  explicit broadcast_station(local_array& part) : part_(part) {}
  broadcast_station(const broadcast_station&) = delete;
  broadcast_station& operator=(const broadcast_station&) = delete;
  ~broadcast_station();

  /// A broadcast came in, at the root perhaps unnumbered.
  void receive(broadcast_message& b);

  /// Number of the last broadcast delivered here; what a new element carries.
  std::uint64_t delivered() const { return delivered_; }

  /// An element leaves with this number. Its new PE will call `confirmed`.
  void element_leaves(std::uint64_t last_broadcast);
  /// Gives an element that has arrived what it missed; returns the number up to which.
  std::uint64_t element_arrives(chare_header& element);
  /// An element that left here with `left_with` has arrived and was given the broadcasts up to
  /// `caught_up_to`.
  void confirmed(std::uint64_t left_with, std::uint64_t caught_up_to);

  /// This PE, or all PEs of a child's subtree, are done with a broadcast, which reached that many elements
  /// there.
  void done(std::uint64_t number, std::uint64_t elements);
  /// At the root: true if no broadcast is under way.
  bool all_are_done() const { return all_done_ == last_number_; }

  /// The array ends: who waits for a broadcast is told so.
  void close();

 private:
  struct entry {
    broadcast_message* message;
    std::uint64_t elements;
  };
  struct tally {
    int reports = 0;
    std::uint64_t elements = 0;
  };

  void deliver(broadcast_message& b);
  void deliver_next_later();
  void report();
  void fail_caller(const broadcast_message& b);
  void pass_down(broadcast_message& b);
  void forget_until(std::uint64_t number);

  local_array& part_;
  std::uint64_t delivered_ = 0;
  std::uint64_t reported_ = 0;
  std::map<std::uint64_t, entry> log_;                 // delivered
  std::map<std::uint64_t, broadcast_message*> early_;  // before their turn
  std::map<std::uint64_t, std::uint64_t> on_the_way_;  // elements that left, by the number they left with
  std::map<std::uint64_t, std::uint64_t> late_;  // elements that left and got a broadcast at their new PE
  std::map<std::uint64_t, tally> tallies_;       // of what this PE and those below it are done with
  std::uint64_t last_number_ = 0;                // root only, as the one below
  std::uint64_t all_done_ = 0;
};

}  // namespace detail
}  // namespace imbrex
