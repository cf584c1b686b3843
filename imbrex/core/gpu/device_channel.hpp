// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/core/array/channel.hpp>
#include <imbrex/core/gpu/device_argument.hpp>
#include <imbrex/core/gpu/device_loan.hpp>
#include <imbrex/core/gpu/standing_item.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex {

template <class T>
class device_channel;

namespace detail {

/// What goes through a device channel: it stays where it is until its receiver says where it shall land.
template <class T>
class device_parcel {
 public:
  device_parcel() noexcept = default;
  explicit device_parcel(device_part&& content) noexcept : part_(std::move(content)) {}
  explicit device_parcel(const device_loan<std::remove_const_t<T>>& lent) : part_(lent.part()) {}
  device_part* part() noexcept { return &part_; }

 private:
  device_part part_;
};

template <class T>
inline constexpr bool stays_with_device<device_parcel<T>> = true;
template <class T>
inline constexpr bool is_device_memory<device_parcel<T>> = true;
template <class T>
inline constexpr bool lands_by_itself<device_parcel<T>> = false;

template <class T, class C>
struct member_traits<device_channel<T> C::*> : port_traits<device_parcel<T>, C> {};

class placed_receives;

/// A receive that has said where the next array shall land, and waits.
class placed_receive {
 public:
  placed_receive(void* address, const void* device, std::size_t count, stream& order)
      : address_(address), device_(device), count_(count), order_(order) {}
  placed_receive(const placed_receive&) = delete;
  placed_receive& operator=(const placed_receive&) = delete;

  /// True once its array is on its way, for which no message comes.
  bool is_served() const { return is_served_; }
  void* address() const { return address_; }
  const void* device() const { return device_; }
  std::size_t count() const { return count_; }
  stream& order() const { return order_; }

 protected:
  ~placed_receive() { leave_if_waiting(); }
  void join(placed_receives& those, const waiter& who);
  /// It waits no more, if it did.
  void leave_if_waiting() {
    if (before_ != nullptr) leave();
  }

 private:
  friend class placed_receives;
  void leave();
  /// It waits for no message from now on.
  virtual void forget_message() = 0;

  void* const address_;
  const void* const device_;
  const std::size_t count_;
  stream& order_;
  waiter waiter_;
  bool is_served_ = false;
  placed_receives* of_ = nullptr;
  placed_receive* later_ = nullptr;    ///< among those that wait, or that are served
  placed_receive** before_ = nullptr;  ///< what points to it there; null unless it is there
};

/// The receives of one end. Where the other end is on the same PE and device, and the receive was there
/// first, its `send` orders the copy itself. Its chare's PE.
class placed_receives {
 public:
  placed_receives() = default;
  placed_receives(const placed_receives&) = delete;
  placed_receives& operator=(const placed_receives&) = delete;
  ~placed_receives() { leave(); }
  /// Their chare leaves the PE: none waits.
  void leave() noexcept;

  /// True if a receive waits that says where, and all before it do.
  bool are_first() const { return waiting_.first != nullptr && unplaced_ == 0; }
  /// Copies to where the first one says, in the order of its stream, after what `filled` has been given. Null
  /// if it cannot be done so; else the point at which the memory has been read.
  shared_event serve(const void* address, std::size_t count, std::size_t size, stream& filled);

  /// One that says nothing of where.
  class unplaced {
   public:
    explicit unplaced(placed_receives& of) : of_(of) { ++of_.unplaced_; }
    unplaced(const unplaced&) = delete;
    unplaced& operator=(const unplaced&) = delete;
    ~unplaced() { --of_.unplaced_; }

   private:
    placed_receives& of_;
  };

 private:
  friend class placed_receive;
  struct list {
    placed_receive* first = nullptr;
    placed_receive** after_last = &first;
  };
  /// The first of those that are served goes on.
  static void go_on(void* self);
  static void append(list& to, placed_receive& r) {
    r.later_ = nullptr;
    r.before_ = to.after_last;
    *r.before_ = &r;
    to.after_last = &r.later_;
  }

  list waiting_;
  list served_;
  int unplaced_ = 0;
  standing_item* item_ = nullptr;  ///< once it has been needed
};

inline void placed_receive::join(placed_receives& those, const waiter& who) {
  waiter_ = who;
  of_ = &those;
  placed_receives::append(those.waiting_, *this);
}

inline void placed_receive::leave() {
  *before_ = later_;
  auto& in = is_served_ ? of_->served_ : of_->waiting_;
  (later_ != nullptr ? later_->before_ : in.after_last) = before_;
  before_ = nullptr;
}

/// A port of a chare, if that is on this PE and they need no messages there.
template <class Chare, auto Port>
auto* find_port(std::uint64_t collection, std::uint64_t linear) {
  auto& pe = processor::here();
  auto* const part = recent_part<Chare>(pe, pe.number_of(collection));
  auto* const e = part != nullptr && needs_no_messages(pe) ? part->find(linear) : nullptr;
  return e != nullptr ? &(element_memory<Chare>::object(*e).*Port) : nullptr;
}

/// Copies what has come to that memory, in the order of the stream. Throws imbrex::error if their lengths
/// differ.
void receive_at(device_part& content, void* address, const void* device, std::size_t count, stream& order);

}  // namespace detail

template <class T>
struct serializer<detail::device_parcel<T>> {
  static void serialize(writer& out, detail::device_parcel<T>& p) { p.part()->serialize(out); }
  static void serialize(reader& in, detail::device_parcel<T>& p) {
    detail::read_device_part(in, *p.part(), sizeof(T));
  }
};

/// One end of an ordered two-way stream of arrays in device memory between two chares, as `channel` is of
/// values: both ends are public members, and each is connected to the other. What is sent is copied once,
/// from where the sender has it to where the receiver says (paper 001, section 4.1.3). Sends and receives
/// match in their order; either may come first, and several may be under way.
///
///     right.connect<&block::left>(peers()[i + 1]);
///     imbrex::device_loan<double> out = right.send(face.span(), pack_);
///     co_await right.receive(ghost.span(), unpack_);
///     unpack_.launch(unpack, ghost.span(), ...);
///     co_await out.done();  // before the face changes
template <class T>
class device_channel : private channel<detail::device_parcel<T>> {
  static_assert(std::is_trivially_copyable_v<T>,
                "imbrex: what lies in device memory must be trivially copyable");
  using base = channel<detail::device_parcel<T>>;
  class arrival;

 public:
  using typename base::value_type;

  /// As `channel::connect`.
  template <auto Port, class Chare>
  void connect(const element<Chare>& to) {
    base::template connect<Port>(to);
    find_other_ = &detail::find_port<Chare, Port>;
  }

  /// Lends memory to the other end that holds what is to be read when the stream has done what was submitted
  /// to it so far. It must not change before the loan's `done()` has ended. Throws imbrex::error if the
  /// channel is not connected.
  device_loan<std::remove_const_t<T>> send(device_span<const T> from, stream& filled) {
    device_channel* const beside =
        find_other_ != nullptr ? find_other_(base::other_collection(), base::other_linear()) : nullptr;
    if (beside != nullptr && beside->receives_.are_first() && beside->received() == base::sent() &&
        from.device() == filled.on().info().id)
      if (auto read = beside->receives_.serve(from.data(), from.size(), sizeof(T), filled)) {
        base::count_sent();
        beside->count_received();
        return {from, filled.on(), std::move(read)};
      }
    auto loan = zero_copy(from, filled);
    base::send(detail::device_parcel<T>(loan));
    return loan;
  }
  /// Hands a buffer over, whose contents are there as `ready_after` has said.
  void send(device_buffer<T>&& buffer) { base::send(detail::device_parcel<T>(std::move(*buffer.part()))); }

  /// Ends when the next array that the other end sends is on its way to that memory, in the order of the
  /// stream: what is submitted to it from then on comes after the array. Throws imbrex::error if the array is
  /// not as long as the memory, and unless memory and stream are of this PE's device.
  [[nodiscard("co_await the array")]] auto receive(device_span<T> to, stream& order) {
    return arrival(*this, to, order);
  }
  /// Gives the buffer itself, on this PE's device: one that was handed over on this device is not copied.
  task<device_buffer<T>> receive() {
    const detail::placed_receives::unplaced here(receives_);
    auto parcel = co_await base::receive();
    detail::land_device_part(*parcel.part());
    co_return device_buffer<T>(std::move(*parcel.part()));
  }

  /// For the runtime.
  void collect_unread(std::vector<detail::device_part*>& parts) {  // its chare leaves this PE
    receives_.leave();
    base::collect_unread(parts);
  }
  using base::is_of_second_end;
  using base::put;
  void serialize(auto& ar) { base::serialize(ar); }

 private:
  detail::placed_receives receives_;
  /// Finds the other end if it is on this PE; null if that is not known.
  device_channel* (*find_other_)(std::uint64_t collection, std::uint64_t linear) = nullptr;
};

/// What `receive` gives: co_await it at once.
template <class T>
class [[nodiscard("co_await the array")]] device_channel<T>::arrival final : detail::placed_receive {
 public:
  arrival(device_channel& through, device_span<T> to, stream& order)
      : placed_receive(to.data(), to.device(), to.size(), order), through_(through) {}
  /// Only before it is awaited.
  arrival(arrival&& other) noexcept
      : placed_receive(other.address(), other.device(), other.count(), other.order()),
        through_(other.through_) {}

  bool await_ready() { return message_.emplace(through_.base::receive()).await_ready(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) {
    join(through_.receives_, who);
    return message_->suspend(who, entry);
  }
  void await_resume() {
    if (is_served()) return;
    leave_if_waiting();
    auto parcel = message_->await_resume();
    detail::receive_at(*parcel.part(), address(), device(), count(), order());
  }

 private:
  void forget_message() override { message_.reset(); }

  device_channel& through_;
  std::optional<typename mailbox<value_type>::receiver> message_;
};

}  // namespace imbrex
