// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/pe/array_listener.hpp>

namespace imbrex::detail {

class local_array;

/// A message to all elements of an array, without the entry's type.
struct broadcast_message : message {
  std::uint64_t number = 0;  ///< 0 until the root has given one
  std::uint64_t pruned = 0;  ///< all PEs are done with the broadcasts up to this number
  bool was_early = false;    ///< received before its predecessors on this PE

  virtual ~broadcast_message() = default;
  /// Another message with the same content.
  virtual broadcast_message& copy() const = 0;
  /// Delivers the broadcast to all local elements that have not had it, and returns their number. A reduction
  /// of the entry's results expects a reply from each.
  virtual std::size_t deliver_to_locals(local_array& part) = 0;
  /// Sends the broadcast to one element that arrived on this PE too late for `deliver_to_locals`.
  virtual void deliver_late(local_array& part, chare_header& element) = 0;
  /// At the root: the number of elements that received the broadcast is known.
  virtual void all_delivered(local_array& part, std::uint64_t elements) = 0;
};

/// Broadcasts to an array, exactly once to each element though elements migrate.
///
/// The root numbers broadcasts and sends them down a tree of PEs (`tree_place`). Each PE delivers them in the
/// order of their numbers. Each delivery is an item of its own, so that an entry's requests (to end, to
/// migrate) take effect in between. An element carries the number of the last broadcast that it received. An
/// element that arrives with an older number than its new PE has reached is given the missed broadcasts from
/// the log. An element with a newer number is skipped until the PE has caught up.
///
/// A PE is done with a broadcast when it has delivered it and no element that left before is still in flight.
/// The element's new PE confirms each arrival and reports late deliveries. When a PE and its whole subtree
/// are done, the PE reports that to its parent. The root then knows the number of receiving elements, and all
/// PEs may forget the broadcast: the next broadcasts carry that news.
class broadcast_station final : public array_listener {
 public:
  explicit broadcast_station(local_array& part);
  broadcast_station(const broadcast_station&) = delete;
  broadcast_station& operator=(const broadcast_station&) = delete;
  ~broadcast_station();

  /// Receives a broadcast; at the root it may have no number yet.
  void receive(broadcast_message& b);

  /// Number of the last broadcast delivered here; new elements carry it.
  std::uint64_t delivered() const { return delivered_; }

  /// The element's new PE will cause a call of `confirmed`.
  void element_left(const chare_header& element) override;
  /// Gives the element the broadcasts that it missed.
  void element_arrived(chare_header& element) override;
  /// An element that left here with number `left_with` has arrived and has received the broadcasts up to
  /// `caught_up_to`.
  void confirmed(std::uint64_t left_with, std::uint64_t caught_up_to);

  /// This PE, or a child's whole subtree, is done with a broadcast, which reached `elements` elements there.
  void done(std::uint64_t number, std::uint64_t elements);
  bool is_idle() const override { return all_done_ == last_number_; }
  /// Waiters for broadcasts get an error.
  void array_ends() override;

 private:
  struct state;

  void deliver(broadcast_message& b);
  void deliver_next_later();
  void report();
  void fail_caller(const broadcast_message& b);
  void pass_down(broadcast_message& b);
  void forget_until(std::uint64_t number);

  local_array& part_;
  std::uint64_t delivered_ = 0;
  std::uint64_t reported_ = 0;
  owner<state> state_;
  std::uint64_t last_number_ = 0;  // used at the root only, like `all_done_`
  std::uint64_t all_done_ = 0;
};

}  // namespace imbrex::detail
