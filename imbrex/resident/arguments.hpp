// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <imbrex/resident/transport/memory.hpp>

/// Parameters of entries, and their layout in a message.
namespace imbrex::resident {

/// First argument of a numbered entry, which runs when its chare accepts that number: see `context::accept`.
struct reference {
  std::uint32_t number = 0;

  reference() = default;
  IMBREX_DEVICE constexpr reference(int n) : number(static_cast<std::uint32_t>(n)) {}
  IMBREX_DEVICE constexpr reference(std::uint32_t n) : number(n) {}
};

/// Memory of a message, of any size up to the program's `settings::parcel_bytes`. The sender fills it and the
/// receiver reads it in place.
template <class T>
class payload {
 public:
  payload() = default;
  IMBREX_DEVICE payload(T* data, std::uint32_t size, std::uint64_t parcel)
      : data_(data), size_(size), parcel_(parcel) {}
  IMBREX_DEVICE T* data() const { return data_; }
  IMBREX_DEVICE std::uint32_t size() const { return size_; }
  IMBREX_DEVICE T& operator[](std::uint32_t i) const { return data_[i]; }
  /// False if the PE had no memory left.
  IMBREX_DEVICE explicit operator bool() const { return data_ != nullptr; }
  IMBREX_DEVICE std::uint64_t parcel() const { return parcel_; }

 private:
  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint64_t parcel_ = 0;
};

namespace detail {

inline constexpr std::uint32_t no_entry = 0xff;

/// Memory layout of a message's arguments.
template <class... A>
struct packed {};
template <class Only>
struct packed<Only> {
  Only head;
};
template <class Head, class... Rest>
struct packed<Head, Rest...> {
  Head head;
  packed<Rest...> tail;
};

template <class Head, class Packed>
struct prepended;
template <class Head, class... A>
struct prepended<Head, packed<A...>> {
  using type = packed<Head, A...>;
};

template <class T>
inline constexpr bool is_payload = false;
template <class T>
inline constexpr bool is_payload<payload<T>> = true;

/// Parameters of an entry: the fixed ones, and the element type of the payload. The latter is void if there
/// is no payload.
template <class... A>
struct parameters {
  using fixed = packed<>;
  using element = void;
};
template <class T>
struct parameters<payload<T>> {
  using fixed = packed<>;
  using element = T;
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= 16,
                "imbrex: a payload inside a GPU holds what is trivially copyable and aligned to at most 16 "
                "bytes");
};
template <class Head, class... Rest>
struct parameters<Head, Rest...> {
  using fixed = typename prepended<Head, typename parameters<Rest...>::fixed>::type;
  using element = typename parameters<Rest...>::element;
  static_assert(!is_payload<Head>, "imbrex: a payload is the last argument of an entry inside a GPU");
  static_assert(std::is_trivially_copyable_v<Head>,
                "imbrex: the arguments of an entry inside a GPU must be trivially copyable");
  static_assert(alignof(Head) <= 16,
                "imbrex: the arguments of an entry inside a GPU are aligned to at most 16 bytes");
};

template <class... A>
struct first_of {
  using type = void;
};
template <class Head, class... Rest>
struct first_of<Head, Rest...> {
  using type = Head;
};

/// Properties of an entry's arguments, which determine how a message carries them.
template <class... A>
struct argument_traits {
  using fixed = typename parameters<A...>::fixed;
  using element = typename parameters<A...>::element;
  using first = typename first_of<A...>::type;
  static constexpr bool has_payload = !std::is_void_v<element>;
  static constexpr std::uint32_t arguments = sizeof...(A);
  static constexpr std::uint32_t fixed_bytes = sizeof...(A) == (has_payload ? 1 : 0) ? 0 : sizeof(fixed);
  static constexpr bool in_parcel = has_payload || fixed_bytes > 8;
  static_assert(fixed_bytes <= 64,
                "imbrex: the arguments of an entry inside a GPU have at most 64 bytes: send a payload");
};

/// Header of a parcel. The fixed arguments follow, and then the payload.
struct alignas(16) parcel_head {
  std::uint32_t size = 0;         ///< elements of the payload
  std::uint32_t bytes = 0;        ///< total size, for a parcel sent to the host
  std::uint32_t is_prepared = 0;  ///< for a payload: nonzero until it is sent
};
template <std::uint32_t FixedBytes>
inline constexpr std::uint32_t payload_offset = sizeof(parcel_head) + (FixedBytes + 15U) / 16U * 16U;

}  // namespace detail
}  // namespace imbrex::resident
