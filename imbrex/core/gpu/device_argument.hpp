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

/// Where what comes is to be put: memory, and the stream in whose order it is put there. So it comes after
/// whatever that stream has been given to do with the memory, and before whatever it is given next.
template <class T>
struct device_place {
  device_span<T> memory;
  stream& order;
};

namespace detail {

/// Throws imbrex::error unless `room` elements of that device are enough for `count` on this PE.
void check_place(std::string_view member, std::size_t room, const void* device, const stream& order,
                 std::size_t count);

}  // namespace detail

/// A parameter of an entry: so many elements of a device's memory that come with the message. `Place` is a
/// member function of the chare. When the message is there, and before anything is copied, it is called with
/// the arguments that stand before this one and the number of elements, and returns a `device_place` of at
/// least so many. Without one they come to memory of the pool, that of the argument.
///
///     imbrex::device_place<double> place(int side, std::size_t count) {
///       return {ghost_[side].span(), unpack_};
///     }
///     void take(int side, imbrex::device_argument<double, &block::place> cells) {
///       unpack_.launch(unpack, cells.span(), ...);
///     }
///
/// The sender gives what `zero_copy` returns, or a `device_buffer`, which moves. The entry begins when the
/// transfer is ordered: nobody waits for it but streams.
template <class T, auto Place = nullptr>
class device_argument {
 public:
  static_assert(std::is_trivially_copyable_v<T>,
                "imbrex: what lies in device memory must be trivially copyable");
  using element_type = T;

  device_argument() noexcept = default;
  device_argument(device_buffer<T>&& owned) noexcept : part_(std::move(*owned.part())) {}
  device_argument(const device_loan<T>& lent) : part_(lent.part()) {}

  /// The elements, where they are or will be.
  device_span<T> span() const noexcept { return memory_; }
  std::size_t size() const noexcept { return memory_.size(); }
  /// When they are there: for streams other than that of the place.
  shared_event ready() const { return order_ != nullptr ? shared_event(*order_) : part_.ready(); }

  // For the runtime.
  detail::device_part* part() noexcept { return &part_; }
  template <class T2, class... Before>
  void land(T2& chare, const Before&... before) {
    const std::size_t count = part_.count();
    if constexpr (std::is_same_v<decltype(Place), std::nullptr_t>) {
      detail::land_device_part(part_);
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
  detail::device_part part_;
  device_span<T> memory_;
  stream* order_ = nullptr;
};

namespace detail {

template <class T, auto Place>
inline constexpr bool stays_with_device<device_argument<T, Place>> = true;
template <class T, auto Place>
inline constexpr bool is_device_memory<device_argument<T, Place>> = true;
template <class T>
inline constexpr bool stays_with_device<device_loan<T>> = true;

}  // namespace detail

template <class T, auto Place>
struct serializer<device_argument<T, Place>> {
  static void serialize(writer& out, device_argument<T, Place>& a) { a.part()->serialize(out); }
  static void serialize(reader& in, device_argument<T, Place>& a) {
    detail::read_device_part(in, *a.part(), sizeof(T));
  }
};

}  // namespace imbrex
