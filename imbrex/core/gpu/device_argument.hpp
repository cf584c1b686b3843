// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/type_name.hpp>
#include <imbrex/core/gpu/device_loan.hpp>
#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/device_work.hpp>

namespace imbrex {

/// The destination of an incoming array: memory, and the stream whose order the copy follows. The copy runs
/// after all work submitted to the stream before, and before all work submitted later.
template <class T>
struct device_place {
  device_span<T> memory;  ///< where the array goes; on the PE's device
  stream& order;          ///< stream whose order the copy follows
};

namespace detail {

/// Throws imbrex::error unless the place is on this PE's device and has room for `count` elements.
void check_place(std::string_view member, std::size_t room, const void* device, const stream& order,
                 std::size_t count);

}  // namespace detail

/// An entry's parameter: an array in device memory that arrives with the message. `Place` is a member
/// function of the chare. It is called when the message has arrived, before anything is copied. Its arguments
/// are those before this one, and the number of elements. It returns a `device_place` of at least that size.
/// Without `Place` the array is copied to memory of the pool, which the argument owns.
///
///     imbrex::device_place<double> place(int side, std::size_t count) {
///       return {ghost_[side].span(), unpack_};
///     }
///     void take(int side, imbrex::device_argument<double, &block::place> cells) {
///       unpack_.launch(unpack, cells.span(), ...);
///     }
///
/// The sender passes the result of `zero_copy`, or moves in a `device_buffer`. The entry begins once the
/// transfer is submitted: only streams wait for its completion.
template <class T, auto Place = nullptr>
class device_argument {
 public:
  static_assert(std::is_trivially_copyable_v<T>,
                "imbrex: what lies in device memory must be trivially copyable");
  using element_type = T;

  device_argument() noexcept = default;
  /// Sends the buffer itself, which the receiver then owns.
  device_argument(device_buffer<T>&& owned) noexcept : part_(std::move(*owned.part())) {}
  device_argument(const device_loan<T>& loan) : part_(loan.part()) {}

  /// The memory of the elements, also before their transfer is complete.
  device_span<T> span() const noexcept { return memory_; }
  std::size_t size() const noexcept { return memory_.size(); }
  /// The event after which the elements are complete, for streams other than the place's.
  shared_event ready() const { return order_ != nullptr ? shared_event(*order_) : part_.ready(); }

  // For the runtime.
  detail::attachment* part() noexcept { return &part_; }  ///< Memory as a part of the message.
  /// Finds the place and submits the copy, before the entry of `chare` begins.
  template <class T2, class... Before>
  void land(T2& chare, const Before&... before) {
    const std::size_t count = part_.count();
    if constexpr (std::is_same_v<decltype(Place), std::nullptr_t>) {
      detail::land_attachment(part_);
      memory_ = {static_cast<T*>(part_.address()), count, part_.device()};
    } else {
      constexpr bool fits =
          std::is_invocable_r_v<device_place<T>, decltype(Place), T2&, const Before&..., std::size_t>;
      static_assert(fits,
                    "imbrex: the place of a device_argument is a member function that takes the arguments "
                    "before it and the number of elements, and returns a device_place of the same type");
      if constexpr (fits) {
        const device_place<T> place = (chare.*Place)(before..., count);
        detail::check_place(member_name<Place>(), place.memory.size(), place.memory.device(), place.order,
                            count);
        part_.land_at(place.memory.data(), place.order, detail::stream_out_of(part_));
        memory_ = place.memory.subspan(0, count);
        order_ = &place.order;
      }
    }
  }

 private:
  detail::attachment part_;
  device_span<T> memory_;
  stream* order_ = nullptr;
};

namespace detail {

template <class T, auto Place>
inline constexpr bool stays_with_device<device_argument<T, Place>> = true;
template <class T, auto Place>
inline constexpr bool is_attachment<device_argument<T, Place>> = true;
template <class T>
inline constexpr bool stays_with_device<device_loan<T>> = true;

}  // namespace detail

template <class T, auto Place>
struct serializer<device_argument<T, Place>> {
  static void serialize(writer& out, device_argument<T, Place>& a) { a.part()->serialize(out); }
  static void serialize(reader& in, device_argument<T, Place>& a) {
    detail::read_attachment(in, *a.part(), sizeof(T));
  }
};

}  // namespace imbrex
