// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/core/gpu/bound_members.hpp>
#include <imbrex/core/gpu/bound_memory.hpp>
#include <imbrex/core/gpu/device_channel.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex {

template <class T>
class persistent_channel;

namespace detail {

/// A signal between the ends of a persistent channel: an array has been put, arrays have been released, or
/// memory is offered for them.
template <class T>
struct device_signal {
  static constexpr bool is_placed_by_receiver = true;

  std::int64_t released = 0;  ///< number of arrays that its sender has released so far
  std::unique_ptr<bound_offer> offer{};
  std::unique_ptr<device_parcel<T>> content{};  ///< an array that the receiver must copy to its slot itself
  bool put_from_afar = false;                   ///< another process has put the array, and it is complete
};

/// `co_await running_entry()`: the entry to which the running task belongs.
class running_entry {
 public:
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> asking) {
    entry_ = &asking.promise().entry();
    return false;
  }
  const scope* await_resume() const noexcept { return entry_; }

 private:
  const scope* entry_ = nullptr;
};

}  // namespace detail

/// The persistent form of `device_channel`. Both ends register memory once, by `bind`. From then on a sent
/// array is put directly into the other end's memory, by one copy and one signal. Both ends are public
/// members, each connected to the other. Arrays arrive in the order of their sends.
///
///     right.connect<&block::left>(peers()[i + 1]);
///     co_await right.bind({out_[0].span(), out_[1].span()}, {in_[0].span(), in_[1].span()});
///     co_await right.send(pack_);  // what out_[0] holds, then out_[1], ...
///     const auto face = co_await right.receive(unpack_);  // in_[0], then in_[1], ...
///     unpack_.launch(unpack, face, ...);
///     right.release(unpack_);  // when that is done it may be written again
///
/// Bound memory must not move until this end is bound again or destroyed. Memory of a `device_buffer` stays
/// allocated while the other end may write to it.
///
/// A migrating chare keeps the connection. If all memory that it gives to `bind` is in buffers that its
/// `serialize` names, it also keeps the binding: the end is bound again by itself where the chare arrives, to
/// the same places in its buffers, and unread arrays travel in them. So does a chare in a checkpoint. Arrays
/// to such an end from another process go in messages.
/// Otherwise both ends must be bound again, and must have received all sent arrays before; and a balancer
/// does not move the chare.
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

  /// Registers the arrays to send from and to receive to, each used in turn. Completes when the other end has
  /// done the same. Throws imbrex::error if the channel is not connected, if memory is not of this PE's
  /// device, or if there is none. Also throws it unless each sent array is as long as the other end's memory
  /// for it.
  task<> bind(std::vector<device_span<const T>> from, std::vector<device_span<T>> to) {
    const scope* const entry = co_await detail::running_entry();
    auto* const chare =
        detail::is_own_port(*entry, this) ? static_cast<chare_header*>(entry->chare) : nullptr;
    members_.expect(chare, detail::bound_arrays(from), detail::bound_arrays(to));
    std::unique_ptr<detail::bound_offer> own = ends_.offer(detail::bound_arrays(to));
    own->may_be_exported = members_.may_be_exported();
    base::send(value_type{.offer = std::move(own)});
    value_type other = co_await base::receive();
    ends_.bind(detail::bound_arrays(from), other.offer.get(), sizeof(T));
  }

  /// Completes once the copy is submitted, i.e. when the other end has released the target array. Work
  /// submitted to the stream before the completion is included; later work may overwrite the source. Throws
  /// imbrex::error if the ends are not bound, or if the other end no longer exists.
  [[nodiscard("co_await what send returns")]] auto send(stream& filled) { return room(*this, filled); }

  /// Completes when the copy of the other end's next array is submitted. Returns the array's memory, valid in
  /// the order of the stream: work submitted later runs after the copy.
  [[nodiscard("co_await what receive returns")]] auto receive(stream& order) { return arrival(*this, order); }

  /// Releases the oldest received array, once the work submitted to the stream so far is complete. Throws
  /// imbrex::error if there is none.
  void release(stream& read) {
    ends_.release(read);
    if (ends_.is_beside())
      ends_.tell_of_release();
    else if (ends_.are_put_from_afar())
      send_after(ends_.reads(), {base::reserve_unordered(), {.released = ends_.released()}, ends_.here()});
    else
      announce();
  }

  /// For the runtime: a signal has arrived.
  using base::is_of_second_end;
  /// For the runtime: takes a signal of the other end.
  void put(detail::mailbox_node<value_type>& l) {
    ends_.note_released(l.value.released);
    if (base::is_unordered(l)) {
      const detail::message_guard read(*l.owner);
      if (l.value.offer != nullptr && members_.accept(*l.value.offer) && l.value.offer->wants_answer)
        tell_place(false);
      return;
    }
    if (l.value.offer == nullptr) ends_.note_arrival();
    if (l.value.put_from_afar) ends_.note_put_from_afar();
    base::put(l);
    announce();
  }
  using base::collect_unread;
  /// For the runtime: what it does when its chare migrates.
  detail::bound_port& bound() { return members_; }
  void serialize(auto& ar) {
    base::serialize(ar);
    ends_.serialize(ar);
    members_.serialize(ar);
  }

 private:
  /// A signal that leaves when the stream has reached its current position.
  struct late_signal {
    typename base::reserved at;
    value_type signal;
    std::shared_ptr<detail::bound_memory> here{};     ///< memory whose arrays have been read then
    std::shared_ptr<detail::hold_elsewhere> there{};  ///< memory to which an array has been put then

    static void complete(void* self, const std::exception_ptr& failure) {
      const std::unique_ptr<late_signal> it(static_cast<late_signal*>(self));
      if (failure) std::rethrow_exception(failure);
      if (it->here != nullptr) it->here->read = it->signal.released;
      it->at.send(std::move(it->signal));
    }
    static void cancel(void* self) noexcept { delete static_cast<late_signal*>(self); }
  };
  static void send_after(stream& done, late_signal what) {
    auto it = std::make_unique<late_signal>(std::move(what));
    const bool waits =
        detail::notify_here(done, {&late_signal::complete, &late_signal::cancel, it.get()}) != nullptr;
    late_signal* const started = it.release();
    if (!waits) late_signal::complete(started, nullptr);
  }

  /// Tells the other end where this one is. `wants_answer`: the other one is to do the same.
  void tell_place(bool wants_answer) {
    base::send_unordered(
        value_type{.released = ends_.announced(), .offer = members_.offer_again(wants_answer)});
  }
  void tell_place_once() {
    if (members_.must_tell()) [[unlikely]]
      tell_place(true);
  }

  /// Sends the number of released arrays, if the other end cannot send more without it.
  void announce() {
    if (ends_.must_announce()) base::send_unordered(value_type{.released = ends_.announced()});
  }

  detail::bound_ends ends_;
  detail::bound_members members_{ends_, sizeof(T)};
};

/// The result of `send`: co_await it at once.
template <class T>
class [[nodiscard("co_await the sending")]] persistent_channel<T>::room final {
 public:
  room(persistent_channel& through, stream& filled) : through_(through), filled_(filled) {}
  /// To be moved only before it is awaited.
  room(room&& other) noexcept : through_(other.through_), filled_(other.filled_) {}

  bool await_ready() const { return through_.ends_.has_room(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  /// Begins the wait, which resumes `who` at its end.
  bool suspend(const waiter& who, scope& entry) { return waits_.begin(through_.ends_, who, entry); }
  void await_resume() {
    waits_.resume();
    detail::bound_ends& ends = through_.ends_;
    through_.tell_place_once();
    const detail::way_to_put way = ends.put(filled_);
    if (way == detail::way_to_put::to_process) [[unlikely]]
      return send_after(filled_, {through_.base::reserve(),
                                  {.released = ends.announced(), .put_from_afar = true},
                                  nullptr,
                                  ends.hold()});
    if (way == detail::way_to_put::by_host) [[unlikely]] {
      // Reserve only after the copy is submitted, which may throw.
      const std::int64_t released = ends.announced();
      auto content = std::make_unique<detail::device_parcel<T>>(ends.copy_to_host(filled_));
      return send_after(filled_,
                        {through_.base::reserve(), {.released = released, .content = std::move(content)}});
    }
    if (way == detail::way_to_put::to_device) ends.wait_for_put(filled_);
    if (way == detail::way_to_put::as_content)
      through_.base::send(
          value_type{.released = ends.announced(),
                     .content = std::make_unique<detail::device_parcel<T>>(ends.copy_to_send(filled_))});
    else if (ends.is_beside())
      ends.tell_of_array();
    else
      through_.base::send(value_type{.released = ends.announced()});
  }

 private:
  persistent_channel& through_;
  stream& filled_;
  detail::wait_for_room waits_;
};

/// The result of `receive`: co_await it at once.
template <class T>
class [[nodiscard("co_await the array")]] persistent_channel<T>::arrival final : detail::wait_for_array {
 public:
  arrival(persistent_channel& through, stream& order) : through_(through), order_(order) {}
  /// To be moved only before it is awaited.
  arrival(arrival&& other) noexcept : through_(other.through_), order_(other.order_) {}

  bool await_ready() {
    through_.tell_place_once();
    return ask(through_.ends_) || signal_.emplace(through_.base::receive()).await_ready();
  }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  /// Begins the wait for an array, which resumes `who` at its end.
  bool suspend(const waiter& who, scope& entry) {
    join(through_.ends_, who);
    return signal_->suspend(who, entry);
  }
  device_span<T> await_resume() {
    if (has_arrived()) return span_of(through_.ends_.take(order_, nullptr));
    leave_if_waiting();
    value_type got = signal_->await_resume();
    return span_of(through_.ends_.take(order_, got.content ? got.content->part() : nullptr));
  }

 private:
  void forget_message() override { signal_.reset(); }
  static device_span<T> span_of(const detail::bound_memory::slot& at) {
    return {static_cast<T*>(at.address), at.count, at.device};
  }

  persistent_channel& through_;
  stream& order_;
  std::optional<typename mailbox<value_type>::receiver> signal_;
};

}  // namespace imbrex
