// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ports of a front end: members of chares to which others send values, as mailboxes and channels are.
//
// A class is a port for values V if it has `value_type`, which is V, and `void put(port_node<V>&)`. Then
// `send<&block::port>(to, reference, value)` sends to it. Its `put` owns the node: it keeps it in an
// `unread_queue` until the value is used. A port that migrates with its chare has `serialize`, and
// `collect_unread` if values have attachments, such as memory of devices.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/message/array_port.hpp>
#include <imbrex/core/message/member_traits.hpp>

namespace imbrex::extension {

/// A value that has arrived at a port, with its `reference` number. It is a part of the message that brought
/// it, which `owner` points to.
template <class V>
using port_node = detail::mailbox_node<V>;

/// Makes a node for values that come otherwise than by a message to the port.
template <class V>
port_node<V>& make_port_node(std::int64_t reference, V&& value) {
  auto& m = detail::make_message<detail::detached_node<V>>();
  m.content.owner = &m;
  m.content.reference = reference;
  m.content.value = std::move(value);
  return m.content;
}

/// Unread values of a port, in the order of arrival. Destroys those that are left. Only the chare's PE.
template <class V>
class unread_queue {
 public:
  using node = port_node<V>;  ///< unread value and the message that has brought it

  unread_queue() = default;
  unread_queue(const unread_queue&) = delete;
  unread_queue& operator=(const unread_queue&) = delete;
  ~unread_queue() { nodes_.discard(); }

  std::size_t size() const { return nodes_.size(); }
  /// The oldest value, and the next younger one; null if there is none.
  node* first() const { return static_cast<node*>(nodes_.first()); }
  /// Next node in the order of arrival; null after the last.
  static node* after(const node& n) { return static_cast<node*>(n.later); }
  /// The oldest value with this reference number, or null. O(1).
  node* find(std::int64_t reference) const { return static_cast<node*>(nodes_.find(reference)); }
  void add(node& n) { nodes_.add(n); }  ///< Appends a node, which the queue owns until it is taken.
  /// Removes and destroys a value.
  void remove(node& n) {
    nodes_.remove(n);
    n.owner->type->destroy(*n.owner);
  }

  void serialize(auto& ar) { detail::archive_unread<V>(ar, nodes_); }
  /// Adds the attachments of the values.
  void collect(std::vector<detail::attachment*>& parts) { detail::collect_unread<V>(nodes_, parts); }

 private:
  detail::unread_nodes nodes_;
};

/// A port for values V in each element of an array, by which chares send to it. It can be copied and
/// archived.
template <class V>
using array_port = detail::array_port<V>;

/// The port `Port` of the chares in this chare's array, which has dense indices.
template <auto Port, class Chare>
auto port_of_peers(const Chare& chare) {
  using message = detail::port_message<Chare, Port>;
  return array_port<typename message::value_type>(message::type_record, chare.peers().collection());
}

/// `describe_port(entry, port)`: the name of a port of the entry's chare, for `suspension::description`.
using detail::describe_port;
/// `is_own_port(entry, port)`: true if the port is a member of the entry's chare.
using detail::is_own_port;

}  // namespace imbrex::extension
