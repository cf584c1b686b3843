// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <imbrex/base/pool.hpp>
#include <imbrex/core/array/proxy.hpp>

namespace imbrex {

template <class Derived, class Index>
class chare;

namespace detail {

/// The header before each chare whose array has this index type.
template <class Index>
struct element_header : chare_header {
  key_type<Index> key{};
  Index where{};

  void serialize(auto& ar) {
    ar(key, where);
    serialize_state(ar);
  }
};

/// The memory of one element: its header, then the chare itself.
template <class T>
struct element_memory {
  using header = element_header<typename T::index_type>;
  static constexpr std::size_t alignment = alignof(T) > alignof(header) ? alignof(T) : alignof(header);
  static constexpr std::size_t offset = (sizeof(header) + alignment - 1) / alignment * alignment;

  /// Allocates from this PE's pool, unless the chare's alignment exceeds that of pool blocks.
  static void* allocate() {
    if constexpr (alignment <= pool::granule)
      return pool::allocate(offset + sizeof(T));
    else
      return ::operator new(offset + sizeof(T), std::align_val_t{alignment});
  }
  static void release(void* memory) noexcept {
    if constexpr (alignment <= pool::granule)
      pool::release(memory, offset + sizeof(T));
    else
      ::operator delete(memory, std::align_val_t{alignment});
  }

  static T& object(chare_header& h) {
    auto* bytes = reinterpret_cast<std::byte*>(static_cast<header*>(&h));
    return *std::launder(reinterpret_cast<T*>(bytes + offset));
  }
  static const header& of(const T& object) {
    return *std::launder(
        reinterpret_cast<const header*>(reinterpret_cast<const std::byte*>(&object) - offset));
  }
  static header& of(T& object) { return const_cast<header&>(of(std::as_const(object))); }
  static void destroy(header& h) noexcept {
    h.dying = true;  // the destructor can then request nothing more
    object(h).~T();
    h.~header();
    release(&h);
  }
};

/// The header of a chare. Not a member of `chare`, whose names would hide those of a program.
template <class Derived, class Index>
auto& header_of(chare<Derived, Index>& of) {
  return element_memory<Derived>::of(static_cast<Derived&>(of));
}
template <class Derived, class Index>
const auto& header_of(const chare<Derived, Index>& of) {
  return element_memory<Derived>::of(static_cast<const Derived&>(of));
}

/// True if a T can migrate; otherwise a static_assert says why not.
template <class T>
consteval bool check_migratable() {
  constexpr bool travels = serializable<T>;
  static_assert(travels,
                "imbrex: this chare cannot migrate: add `void serialize(auto& ar) { ar(a_, b_, ...); }` "
                "with all members");
  constexpr bool refills = std::is_default_constructible_v<T>;
  static_assert(
      refills,
      "imbrex: this chare cannot migrate: it needs a default constructor, to be filled by serialize");
  return travels && refills;
}

[[noreturn]] void throw_wrong_pe(const char* what, int pe, int num_pes);

/// `asks_itself`: the element itself requests the migration.
void request_migration(chare_header& element, int to, bool asks_itself);
void destroy_later(chare_header& element);

}  // namespace detail

/// The base of a chare class: `class block : public imbrex::chare<block, imbrex::index<3>>`. It has no data
/// of its own; the runtime keeps what it needs before the object. Index is imbrex::index<1> to
/// imbrex::index<6>, or another type, such as an integer, a string or an aggregate. It must serialise,
/// compare equal by ==, and be the same in all processes.
template <class Derived, class Index = index<1>>
class chare {
 public:
  using index_type = Index;

  /// This chare's index in its array.
  const Index& where() const { return detail::header_of(*this).where; }
  /// All elements of this chare's array or group. Throws imbrex::error in a single chare, which has no peers.
  array<Derived> peers() const;
  /// Proxy of this chare, for messages to it from anywhere.
  element<Derived> self() const {
    const auto& own = detail::header_of(*this);
    return {own.home->pe().in_proxy(own.home->id()), own.key};
  }
  /// The PE it is on.
  int pe() const { return detail::header_of(*this).home->pe().pe(); }
  /// Number of PEs of the run.
  int num_pes() const { return detail::header_of(*this).home->pe().num_pes(); }

  /// Reduces a value over all elements of the array. Each element must take part, with its calls in the same
  /// order. The value is contributed now; co_await the result. Several reductions may be in flight. Throws
  /// imbrex::error in a constructor, and in a single chare.
  template <class V, class Op>
  auto all_reduce(V value, Op) {
    using key = detail::key_type<Index>;
    if constexpr (detail::operation_fits<Op, V>()) {
      auto& own = detail::header_of(*this);
      return detail::contribute<V, Op, key>(own, own.key, std::move(value));
    }
  }
  /// Reduces a value over all members of a section that this element belongs to; see `all_reduce` above.
  template <class V, class Op>
  auto all_reduce(const section<Derived>& over, V value, Op operation);
  /// Reports a missing operation at compile time.
  template <class V>
  auto all_reduce(const V&) {
    return detail::refuse_no_operation<V>();
  }

  /// Requests a move to another PE. The chare moves at its next balance_point, or after the current entry if
  /// none of its entries is suspended then. Throws imbrex::error if there is no such PE, and in a group,
  /// whose chares never move. Also throws in code that runs during a migration: the default constructor on
  /// the new PE, and serialize.
  void migrate_to(detail::pe_number to) {
    if constexpr (detail::check_migratable<Derived>())
      detail::request_migration(detail::header_of(*this), to, true);
  }

  /// A point at which the chare may migrate. The entry itself must await it, not a function that the entry
  /// calls. If the chare migrates, the entry's frame ends here, the members move, and `Entry` is called on
  /// the new PE with these arguments. Awaiters of the entry's result are not affected. If another entry of
  /// the chare is suspended, the chare cannot leave. In that case this throws imbrex::error if the chare
  /// itself requested the migration. If another chare requested it, the chare stays, and `--stats` counts
  /// that.
  template <auto Entry, class... A>
  auto balance_point(A&&... arguments);

  /// Destroys this chare when the current entry next suspends or ends. Throws imbrex::error in code that runs
  /// during a migration.
  void destroy() { detail::destroy_later(detail::header_of(*this)); }

 protected:
  chare() = default;
  ~chare() = default;
  chare(const chare&) = default;
  chare& operator=(const chare&) = default;
};

}  // namespace imbrex
