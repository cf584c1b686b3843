// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/core/gpu/bound_memory.hpp>
#include <imbrex/core/gpu/device_channel.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex {

template <class T>
class persistent_channel;

namespace detail {

/// What the ends of a persistent channel tell each other: that an array has been put, that arrays have been
/// released, or where what comes shall be put.
template <class T>
struct device_signal {
  std::int64_t released = 0;  ///< arrays that its sender has released so far
  std::unique_ptr<bound_offer> offer{};
  std::unique_ptr<device_parcel<T>> content{};  ///< what its receiver is to copy to its place itself
};

template <class T>
inline constexpr bool lands_by_itself<device_signal<T>> = false;

template <class T, class C>
struct member_traits<persistent_channel<T> C::*> : port_traits<device_signal<T>, C> {};

}  // namespace detail

/// The persistent form of `device_channel`: both ends register memory once, by `bind`, and from then on what
/// one sends is put straight into the memory of the other, by one copy and one signal. Both ends are public
/// members, each connected to the other. Arrays come in the order in which they were sent.
///
///     right.connect<&block::left>(peers()[i + 1]);
///     co_await right.bind({out_[0].span(), out_[1].span()}, {in_[0].span(), in_[1].span()});
///     co_await right.send(pack_);  // what out_[0] holds, then out_[1], ...
///     const auto face = co_await right.receive(unpack_);  // in_[0], then in_[1], ...
///     unpack_.launch(unpack, face, ...);
///     right.release(unpack_);  // when that is done it may be written again
///
/// What is bound stays where it is until this end is bound anew or destroyed, and memory of a `device_buffer`
/// as long as the other end may write to it. A chare that migrates takes the connection along; both ends must
/// be bound again, and before that have received what was sent.
template <class T>
class persistent_channel : private channel<detail::device_signal<T>> {
  static_assert(std::is_trivially_copyable_v<T>,
                "imbrex: what lies in device memory must be trivially copyable");
  using base = channel<detail::device_signal<T>>;
  class room;
  class arrival;

 public:
  using typename base::value_type;

  using base::connect;

  /// Registers what this end sends from and receives to, each in turn, and ends when the other end has done
  /// so, too. Throws imbrex::error if it is not connected, if the memory is not of this PE's device, if there
  /// is none, and unless each array to be sent is as long as the memory of the other end for it.
  task<> bind(std::vector<device_span<const T>> from, std::vector<device_span<T>> to) {
    base::send(value_type{.offer = ends_.offer(detail::bound_arrays(to))});
    value_type other = co_await base::receive();
    ends_.bind(detail::bound_arrays(from), other.offer.get(), sizeof(T));
  }

  /// Ends when the next array is on its way, that is as soon as the other end has released what it goes to:
  /// it holds what is to be sent when the stream has done what was submitted to it before this ends, and what
  /// is submitted to it afterwards may change it. Throws imbrex::error if the ends are not bound, or the
  /// other is no more.
  [[nodiscard("co_await what send returns")]] auto send(stream& filled) { return room(*this, filled); }

  /// Ends when the next array that the other end sends is on its way, and returns the memory where it comes
  /// to, in the order of the stream: what is submitted to it from then on comes after the array.
  [[nodiscard("co_await what receive returns")]] auto receive(stream& order) {
    return arrival(base::receive(), *this, order);
  }

  /// The array that was received first of those not released is needed no more when the stream has done what
  /// was submitted to it so far. Throws imbrex::error if there is none.
  void release(stream& read) {
    ends_.release(read);
    announce();
  }

  /// For the runtime: a signal has come.
  void put(detail::letter<value_type>& l) {
    ends_.note_released(l.value.released);
    if (base::is_unordered(l)) {
      const detail::message_guard read(*l.envelope);
      return;
    }
    if (l.value.offer == nullptr) ends_.note_arrival();
    base::put(l);
    announce();
  }
  using base::collect_unread;
  /// The connection migrates with the chare, not what was bound.
  void serialize(auto& ar) {
    base::serialize(ar);
    ends_.serialize(ar);
  }

 private:
  /// Says what has been released, if the other end can send no more before it knows.
  void announce() {
    if (ends_.must_announce()) base::send_unordered(value_type{.released = ends_.announced()});
  }

  detail::bound_ends ends_;
};

/// What `send` gives: co_await it at once.
template <class T>
class [[nodiscard("co_await the sending")]] persistent_channel<T>::room final {
 public:
  room(persistent_channel& through, stream& filled) : through_(through), filled_(filled) {}
  /// Only before it is awaited.
  room(room&& other) noexcept : through_(other.through_), filled_(other.filled_) {}

  bool await_ready() const { return through_.ends_.has_room(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) { return waits_.begin(through_.ends_, who, entry); }
  void await_resume() {
    waits_.resume();
    std::unique_ptr<detail::device_parcel<T>> content;
    if (!through_.ends_.put(filled_))
      content = std::make_unique<detail::device_parcel<T>>(through_.ends_.copy_to_send(filled_));
    through_.base::send(value_type{.released = through_.ends_.announced(), .content = std::move(content)});
  }

 private:
  persistent_channel& through_;
  stream& filled_;
  detail::wait_for_room waits_;
};

/// What `receive` gives: co_await it at once.
template <class T>
class [[nodiscard("co_await the array")]] persistent_channel<T>::arrival final {
 public:
  using signal = typename mailbox<value_type>::receiver;

  arrival(signal from, persistent_channel& through, stream& order)
      : signal_(std::move(from)), through_(through), order_(order) {}
  /// Only before it is awaited.
  arrival(arrival&& other) noexcept = default;

  bool await_ready() { return signal_.await_ready(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return signal_.await_suspend(waiting);
  }
  device_span<T> await_resume() {
    value_type got = signal_.await_resume();
    const detail::bound_memory::slot& at =
        through_.ends_.take(order_, got.content ? got.content->part() : nullptr);
    return {static_cast<T*>(at.address), at.count, at.device};
  }

 private:
  signal signal_;
  persistent_channel& through_;
  stream& order_;
};

}  // namespace imbrex
