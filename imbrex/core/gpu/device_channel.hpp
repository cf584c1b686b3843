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

/// An array in a device channel. It stays in the sender's memory until the receiver names a destination.
template <class T>
class device_parcel {
 public:
  static constexpr bool is_placed_by_receiver = true;

  device_parcel() noexcept = default;
  explicit device_parcel(attachment&& content) noexcept : part_(std::move(content)) {}
  explicit device_parcel(const device_loan<std::remove_const_t<T>>& loan) : part_(loan.part()) {}
  attachment* part() noexcept { return &part_; }

 private:
  attachment part_;
};

template <class T>
inline constexpr bool stays_with_device<device_parcel<T>> = true;
template <class T>
inline constexpr bool is_attachment<device_parcel<T>> = true;

class placed_receives;

/// A waiting receive that has named the destination of its array.
class placed_receive {
 public:
  placed_receive(void* address, const void* device, std::size_t count, stream& order)
      : address_(address), device_(device), count_(count), order_(order) {}
  placed_receive(const placed_receive&) = delete;
  placed_receive& operator=(const placed_receive&) = delete;

  /// True once its array has been copied directly; then no message arrives.
  bool is_served() const { return is_served_; }
  void* address() const { return address_; }
  const void* device() const { return device_; }
  std::size_t count() const { return count_; }
  stream& order() const { return order_; }

 protected:
  ~placed_receive() { leave_if_waiting(); }
  void join(placed_receives& those, const waiter& who);
  /// Leaves the list of waiting receives, if it is there.
  void leave_if_waiting() {
    if (before_ != nullptr) leave();
  }

 private:
  friend class placed_receives;
  void leave();
  /// Cancels the wait for a message.
  virtual void forget_message() = 0;

  void* const address_;
  const void* const device_;
  const std::size_t count_;
  stream& order_;
  waiter waiter_;
  bool is_served_ = false;
  placed_receives* of_ = nullptr;
  placed_receive* later_ = nullptr;    ///< next receive in the list of waiting or served ones
  placed_receive** before_ = nullptr;  ///< pointer to this in the list; null unless listed
};

/// The receives of one end. If the other end is on the same PE and device, and the receive came first, its
/// `send` submits the copy itself. Its chare's PE only.
class placed_receives {
 public:
  placed_receives() = default;
  placed_receives(const placed_receives&) = delete;
  placed_receives& operator=(const placed_receives&) = delete;
  ~placed_receives() { leave(); }
  /// Removes all receives; called when their chare leaves the PE.
  void leave() noexcept;

  /// True if the first waiting receive has a destination, and so have all receives before it.
  bool are_first() const { return waiting_.first != nullptr && unplaced_ == 0; }
  /// Copies to the first receive's destination: in the order of its stream, after the work submitted to
  /// `filled`. Returns the event after which the source has been read. Null if a direct copy is not possible.
  shared_event serve(const void* address, std::size_t count, std::size_t size, stream& filled);

  /// Counts a receive without a destination while it lives.
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
  /// Resumes the first served receive.
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
  standing_item* item_ = nullptr;  ///< created at its first use
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

/// The port of a chare, if the chare is on this PE and the PE needs no messages between its chares; otherwise
/// null.
template <class Chare, auto Port>
auto* find_port(std::uint64_t collection, std::uint64_t linear) {
  auto& pe = processor::here();
  auto* const part = recent_part<Chare>(pe, pe.number_of(collection));
  auto* const e = part != nullptr && needs_no_messages(pe) ? part->find(linear) : nullptr;
  return e != nullptr ? &(element_memory<Chare>::object(*e).*Port) : nullptr;
}

/// Copies the received array to this memory, in the order of the stream. Throws imbrex::error if the lengths
/// differ.
void receive_at(attachment& content, void* address, const void* device, std::size_t count, stream& order);

}  // namespace detail

template <class T>
struct serializer<detail::device_parcel<T>> {
  static void serialize(writer& out, detail::device_parcel<T>& p) { p.part()->serialize(out); }
  static void serialize(reader& in, detail::device_parcel<T>& p) {
    detail::read_attachment(in, *p.part(), sizeof(T));
  }
};

/// One end of an ordered two-way stream of arrays in device memory between two chares, as `channel` is for
/// values. Both ends are public members, and each is connected to the other. An array is copied once, from
/// the sender's memory to the destination that the receiver names (paper 001, section 4.1.3). Sends and
/// receives match in order; either may come first, and several may be pending.
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

  /// Connects the ends as `channel::connect` does.
  template <auto Port, class Chare>
  void connect(const element<Chare>& to) {
    base::template connect<Port>(to);
    find_other_ = &detail::find_port<Chare, Port>;
  }

  /// Shares memory with the other end. The receiver gets its contents after the work submitted to the stream
  /// so far. The memory must not change before `co_await loan.done()`, with the returned loan, has ended.
  /// Throws imbrex::error if the channel is not connected.
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
  /// Moves a buffer to the other end. Its contents are complete as set by `ready_after`.
  void send(device_buffer<T>&& buffer) { base::send(detail::device_parcel<T>(std::move(*buffer.part()))); }

  /// Completes when the copy of the other end's next array to this memory is submitted, in the order of the
  /// stream. Work submitted to the stream later runs after the copy. Throws imbrex::error if the array and
  /// the memory differ in length, or if memory or stream are not of this PE's device.
  [[nodiscard("co_await the array")]] auto receive(device_span<T> to, stream& order) {
    return arrival(*this, to, order);
  }
  /// Returns the next array as a buffer on this PE's device. A buffer moved in on the same device is not
  /// copied.
  task<device_buffer<T>> receive() {
    const detail::placed_receives::unplaced here(receives_);
    auto parcel = co_await base::receive();
    detail::land_attachment(*parcel.part());
    co_return device_buffer<T>(std::move(*parcel.part()));
  }

  /// For the runtime.
  void collect_unread(std::vector<detail::attachment*>& parts) {  // called when its chare leaves this PE
    receives_.leave();
    base::collect_unread(parts);
  }
  using base::is_of_second_end;
  using base::put;
  void serialize(auto& ar) { base::serialize(ar); }

 private:
  detail::placed_receives receives_;
  /// finds the other end on this PE; null if it is not known to be there
  device_channel* (*find_other_)(std::uint64_t collection, std::uint64_t linear) = nullptr;
};

/// The result of `receive`: co_await it at once.
template <class T>
class [[nodiscard("co_await the array")]] device_channel<T>::arrival final : detail::placed_receive {
 public:
  arrival(device_channel& through, device_span<T> to, stream& order)
      : placed_receive(to.data(), to.device(), to.size(), order), through_(through) {}
  /// To be moved only before it is awaited.
  arrival(arrival&& other) noexcept
      : placed_receive(other.address(), other.device(), other.count(), other.order()),
        through_(other.through_) {}

  bool await_ready() { return message_.emplace(through_.base::receive()).await_ready(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  /// Begins the wait for an array, which resumes `who` at its end.
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
