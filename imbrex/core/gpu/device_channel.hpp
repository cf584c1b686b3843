// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <imbrex/core/array/channel.hpp>
#include <imbrex/core/gpu/device_argument.hpp>
#include <imbrex/core/gpu/device_loan.hpp>
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

 public:
  using typename base::value_type;

  using base::connect;

  /// Lends memory to the other end that holds what is to be read when the stream has done what was submitted
  /// to it so far. It must not change before the loan's `done()` has ended. Throws imbrex::error if the
  /// channel is not connected.
  device_loan<std::remove_const_t<T>> send(device_span<const T> from, stream& filled) {
    auto loan = zero_copy(from, filled);
    base::send(detail::device_parcel<T>(loan));
    return loan;
  }
  /// Hands a buffer over, whose contents are there as `ready_after` has said.
  void send(device_buffer<T>&& buffer) { base::send(detail::device_parcel<T>(std::move(*buffer.part()))); }

  /// Ends when the next array that the other end sends is on its way to that memory, in the order of the
  /// stream: what is submitted to it from then on comes after the array. Throws imbrex::error if the array is
  /// not as long as the memory.
  task<> receive(device_span<T> to, stream& order) {
    auto parcel = co_await base::receive();
    detail::receive_at(*parcel.part(), to.data(), to.device(), to.size(), order);
  }
  /// Gives the buffer itself, on this PE's device: one that was handed over on this device is not copied.
  task<device_buffer<T>> receive() {
    auto parcel = co_await base::receive();
    detail::land_device_part(*parcel.part());
    co_return device_buffer<T>(std::move(*parcel.part()));
  }

  /// For the runtime.
  using base::collect_unread;
  using base::put;
  using base::serialize;
};

}  // namespace imbrex
