// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/message/array_port.hpp>

namespace imbrex {

namespace detail {
[[noreturn]] void throw_unconnected();
/// Throws imbrex::error: the channel is already connected to `other`.
[[noreturn]] void throw_connected(const message_type& other);
}  // namespace detail

/// One end of an ordered two-way stream between two chares. Both ends are public members, each connected to
/// the other: `right.connect<&cell::left>(peers()[i + 1])` here, `left.connect<&cell::right>(peers()[i])`
/// there. Values arrive in the order of sending, even if the machine reorders messages. One end has one
/// sender and one receiver.
template <class T>
class channel {
 public:
  using value_type = T;

  /// Sets the target of `send`: a port (a channel or mailbox of T) of a chare. Throws imbrex::error if this
  /// end is connected to another port.
  template <auto Port, class Chare>
  void connect(const element<Chare>& to) {
    static_assert(detail::is_index<typename Chare::index_type>,
                  "imbrex: a channel connects chares with dense indices");
    static_assert(std::is_same_v<typename detail::traits_of<Port>::value_type, T>,
                  "imbrex: both ends of a channel carry the same type of value");
    const detail::array_port<T> other(detail::port_message<Chare, Port>::type_record, to.collection());
    if (other_ && (other_ != other || linear_ != to.key_value())) [[unlikely]]
      detail::throw_connected(other_.kind());
    other_ = other;
    linear_ = to.key_value();
  }

  /// Sends a value to the other end. Throws imbrex::error if this end is not connected, or if an integer is
  /// out of range of T.
  template <class V = T>
  void send(V&& value) {
    if constexpr (detail::argument_fits<T, V&&, 1>()) {
      if (!other_) detail::throw_unconnected();
      detail::check_integer<T>(other_.kind().chare_name, other_.kind().entry_name, 1, value);
      if constexpr (std::is_same_v<V, T>)
        post(sent_++, std::move(value));
      else
        post(sent_++, static_cast<T>(std::forward<V>(value)));
    }
  }
  /// Waits for the next value from the other end. Several waiters get one value each, in the order in which
  /// they began to wait. A waiter that has given up, as in a finished `when_any`, takes none.
  auto receive() { return values_.receive_in_order(&received_); }

  /// For the runtime: true if a value with this number was already received, so that a second end has sent
  /// this one.
  bool is_of_second_end(const detail::mailbox_node<T>& l) const {
    return l.reference < received_ && !is_unordered(l);
  }
  /// For the runtime: stores a received value.
  void put(detail::mailbox_node<T>& l) {
    values_.put(l);
    values_.pass_on();
  }
  /// The connection and the unread values migrate with the chare.
  void serialize(auto& ar) {
    ar(values_, sent_, received_, other_);
    if (auto* const names = detail::names_of(ar)) [[unlikely]]
      detail::archive_key(*names, other_.collection(), linear_, ar);
    else
      ar(linear_);
  }
  void collect_unread(std::vector<detail::attachment*>& parts) { values_.collect_unread(parts); }

 protected:
  // For derived channels that also send values outside the order, which are not to be `put`.

  void send_unordered(T value) { post(unordered, std::move(value)); }
  static bool is_unordered(const detail::mailbox_node<T>& l) { return l.reference == unordered; }

  /// A reserved position in the order. The value may be sent later, even after this end is destroyed.
  class reserved {
   public:
    /// Sends a value to the other end, in order. Throws imbrex::error before `connect`.
    void send(T value) const { to_.send(linear_, number_, std::move(value)); }

   private:
    friend class channel;
    reserved(const channel& from, std::int64_t number)
        : to_(from.other_), linear_(from.linear_), number_(number) {}

    detail::array_port<T> to_;
    std::uint64_t linear_;
    std::int64_t number_;
  };
  /// Reserves the next position in the order. Throws imbrex::error if not connected.
  reserved reserve() {
    if (!other_) detail::throw_unconnected();
    return {*this, sent_++};
  }
  /// For values outside the order.
  reserved reserve_unordered() const { return {*this, unordered}; }

  // For derived channels that may pass values to an end on the same PE without a message.

  bool is_connected() const { return static_cast<bool>(other_); }
  std::uint64_t other_collection() const { return other_.collection(); }
  std::uint64_t other_linear() const { return linear_; }
  /// The numbers of values sent and received.
  std::int64_t sent() const { return sent_; }
  std::int64_t received() const { return received_; }
  void count_sent() { ++sent_; }
  void count_received() { ++received_; }

 private:
  void post(std::int64_t number, T&& value) { other_.send(linear_, number, std::move(value)); }

  static constexpr std::int64_t unordered = -1;

  mailbox<T> values_;
  std::int64_t sent_ = 0;
  std::int64_t received_ = 0;
  std::uint64_t linear_ = 0;  ///< number of the other end's chare
  detail::array_port<T> other_;
};

}  // namespace imbrex
