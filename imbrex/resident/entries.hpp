// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <imbrex/resident/index.hpp>

namespace imbrex::resident {

template <class Chare>
class context;

/// The entry methods of a class, which name themselves by their place in this list: the device cannot
/// register them.
///
///     using entries = imbrex::resident::entries<&cell::token, &cell::halo>;
///
/// It stands in the class, after the members that it names. An entry is `void m(context<cell>&,
/// arguments...)`; the arguments are trivially copyable, together at most 64 bytes, and the last may be a
/// `payload`.
template <auto... Entry>
struct entries {};

/// The reductions of a class: see `reduction`.
template <class... Reduction>
struct reductions {};

/// Combines a value of each element, which they give by `here.contribute<Entry>(value)`, and runs Entry with
/// the result: on the first element. Values are combined in an order that depends on the placement alone.
template <auto Entry, class Operation>
struct reduction {};
/// The same on all elements.
template <auto Entry, class Operation>
struct all_reduction {};

/// The classes of a program, each of which has one array. Classes that send to each other have one list:
///
///     using chares = imbrex::resident::chares<cell, wall>;  // in both; without it a class is alone
template <class... Chare>
struct chares {};

/// The base of a class of chares inside a GPU. It has no data.
template <class Derived, class Index = index<1>>
struct chare {
  using index_type = Index;
};

/// The first argument of an entry that runs when its chare accepts that number: see `context::accept`.
struct reference {
  std::uint32_t number = 0;

  reference() = default;
  IMBREX_DEVICE constexpr reference(int n) : number(static_cast<std::uint32_t>(n)) {}
  IMBREX_DEVICE constexpr reference(std::uint32_t n) : number(n) {}
};

/// Memory of a message, of any size up to the program's `settings::parcel_bytes`: the sender fills it and the
/// receiver reads it where it lies.
template <class T>
class payload {
 public:
  payload() = default;
  IMBREX_DEVICE payload(T* data, std::uint32_t size, std::uint64_t parcel)
      : data_(data), size_(size), parcel_(parcel) {}
  IMBREX_DEVICE T* data() const { return data_; }
  IMBREX_DEVICE std::uint32_t size() const { return size_; }
  IMBREX_DEVICE T& operator[](std::uint32_t i) const { return data_[i]; }
  /// False if the PE had no memory left for it.
  IMBREX_DEVICE explicit operator bool() const { return data_ != nullptr; }
  IMBREX_DEVICE std::uint64_t parcel() const { return parcel_; }

 private:
  T* data_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint64_t parcel_ = 0;
};

struct sum_operation {
  template <class V>
  IMBREX_DEVICE V operator()(const V& a, const V& b) const {
    return a + b;
  }
};
struct product_operation {
  template <class V>
  IMBREX_DEVICE V operator()(const V& a, const V& b) const {
    return a * b;
  }
};
struct min_operation {
  template <class V>
  IMBREX_DEVICE V operator()(const V& a, const V& b) const {
    return b < a ? b : a;
  }
};
struct max_operation {
  template <class V>
  IMBREX_DEVICE V operator()(const V& a, const V& b) const {
    return a < b ? b : a;
  }
};

namespace detail {

/// The arguments of a message, as they lie in memory.
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

/// The parameters of an entry: the fixed ones, and the element type of the payload; void: it has none.
template <class... A>
struct parameters {
  using fixed = packed<>;
  using element = void;
};
template <class T>
struct parameters<payload<T>> {
  using fixed = packed<>;
  using element = T;
};
template <class Head, class... Rest>
struct parameters<Head, Rest...> {
  using fixed = typename prepended<Head, typename parameters<Rest...>::fixed>::type;
  using element = typename parameters<Rest...>::element;
  static_assert(std::is_trivially_copyable_v<Head>,
                "imbrex: the arguments of an entry inside a GPU must be trivially copyable");
};

template <class... A>
struct first_of {
  using type = void;
};
template <class Head, class... Rest>
struct first_of<Head, Rest...> {
  using type = Head;
};

template <class Entry>
struct entry_traits {
  static_assert(std::is_void_v<Entry>,
                "imbrex: an entry inside a GPU is void m(imbrex::resident::context<C>&, arguments...)");
};
template <class C, class... A>
struct entry_traits<void (C::*)(context<C>&, A...)> {
  using chare = C;
  using index_type = typename C::index_type;
  using fixed = typename parameters<std::remove_cv_t<std::remove_reference_t<A>>...>::fixed;
  using element = typename parameters<std::remove_cv_t<std::remove_reference_t<A>>...>::element;
  using first = std::remove_cv_t<std::remove_reference_t<typename first_of<A...>::type>>;
  static constexpr bool has_payload = !std::is_void_v<element>;
  static constexpr bool is_numbered = std::is_same_v<first, reference>;
  static constexpr std::uint32_t arguments = sizeof...(A);
  static constexpr std::uint32_t fixed_bytes = sizeof...(A) == (has_payload ? 1 : 0) ? 0 : sizeof(fixed);
  static constexpr bool in_parcel = has_payload || fixed_bytes > 8;
  static_assert(fixed_bytes <= 64,
                "imbrex: the arguments of an entry inside a GPU have at most 64 bytes: send a payload");
};
template <auto Entry>
using traits_of = entry_traits<std::remove_cv_t<decltype(Entry)>>;

template <auto A, auto B>
inline constexpr bool same_entry = std::is_same_v<std::integral_constant<std::remove_cv_t<decltype(A)>, A>,
                                                  std::integral_constant<std::remove_cv_t<decltype(B)>, B>>;
inline constexpr std::uint32_t no_entry = 0xff;
/// At most so many entries and reductions has a program.
inline constexpr std::uint32_t most_entries = 127;

template <class List>
struct entry_list;
template <auto... All>
struct entry_list<entries<All...>> {
  static constexpr std::uint32_t count = sizeof...(All);
  static constexpr std::uint32_t numbered = (0U + ... + (traits_of<All>::is_numbered ? 1U : 0U));

  template <auto Entry>
  static IMBREX_DEVICE constexpr std::uint32_t number() {
    std::uint32_t n = 0, at = no_entry;
    ((at = same_entry<Entry, All> ? n : at, ++n), ...);
    return at;
  }
  /// Of a numbered entry: its place among these.
  template <auto Entry>
  static IMBREX_DEVICE constexpr std::uint32_t place_among_numbered() {
    std::uint32_t n = 0, at = no_entry;
    ((at = same_entry<Entry, All> ? n : at, n += traits_of<All>::is_numbered ? 1U : 0U), ...);
    return at;
  }
  /// `visitor.template entry<E>()` for the one with that number.
  template <class Visitor>
  static IMBREX_DEVICE void visit(std::uint32_t number, Visitor& visitor) {
    std::uint32_t n = 0;
    ((number == n++ ? visitor.template entry<All>() : void()), ...);
  }
};

template <class Reduction>
struct reduction_traits;
template <auto Entry, class Operation>
struct reduction_traits<reduction<Entry, Operation>> {
  static constexpr auto entry = Entry;
  using operation = Operation;
  using value = typename traits_of<Entry>::first;
  static constexpr bool to_all = false;
};
template <auto Entry, class Operation>
struct reduction_traits<all_reduction<Entry, Operation>> : reduction_traits<reduction<Entry, Operation>> {
  static constexpr bool to_all = true;
};

template <class List>
struct reduction_list;
template <class... All>
struct reduction_list<reductions<All...>> {
  static constexpr std::uint32_t count = sizeof...(All);
  template <auto Entry>
  static IMBREX_DEVICE constexpr std::uint32_t number() {
    std::uint32_t n = 0, at = no_entry;
    ((at = same_entry<Entry, reduction_traits<All>::entry> ? n : at, ++n), ...);
    return at;
  }
  /// A pointer to the one that ends with Entry, for its type; null: there is none.
  template <auto Entry>
  static IMBREX_DEVICE constexpr auto find() {
    return find_among<Entry, All...>();
  }
  template <class Visitor>
  static IMBREX_DEVICE void visit(std::uint32_t number, Visitor& visitor) {
    std::uint32_t n = 0;
    ((number == n++ ? visitor.template reduce<All>() : void()), ...);
  }

 private:
  template <auto Entry>
  static IMBREX_DEVICE constexpr void* find_among() {
    return nullptr;
  }
  template <auto Entry, class First, class... Rest>
  static IMBREX_DEVICE constexpr auto find_among() {
    if constexpr (same_entry<Entry, reduction_traits<First>::entry>)
      return static_cast<First*>(nullptr);
    else
      return find_among<Entry, Rest...>();
  }
};

template <class C, class = void>
struct reductions_of {
  using type = reductions<>;
};
template <class C>
struct reductions_of<C, std::void_t<typename C::reductions>> {
  using type = typename C::reductions;
};
template <class C, class = void>
struct chares_of {
  using type = chares<C>;
};
template <class C>
struct chares_of<C, std::void_t<typename C::chares>> {
  using type = typename C::chares;
};

/// All entries of a program, in the order of its classes, and then all its reductions: their numbers in
/// messages.
template <class List>
struct table;
template <class... C>
struct table<chares<C...>> {
  static constexpr std::uint32_t arrays = sizeof...(C);
  static constexpr std::uint32_t entries = (0U + ... + entry_list<typename C::entries>::count);
  static constexpr std::uint32_t numbered = (0U + ... + entry_list<typename C::entries>::numbered);
  static constexpr std::uint32_t reductions =
      (0U + ... + reduction_list<typename reductions_of<C>::type>::count);
  static_assert(entries + reductions <= most_entries,
                "imbrex: a program inside a GPU has at most 127 entries and reductions");

  template <class Chare>
  static IMBREX_DEVICE constexpr std::uint32_t array() {
    std::uint32_t n = 0, at = no_entry;
    ((at = std::is_same_v<C, Chare> ? n : at, ++n), ...);
    return at;
  }
  template <class Chare>
  static IMBREX_DEVICE constexpr std::uint32_t first_entry() {
    std::uint32_t sum = 0;
    bool found = false;
    ((found = found || std::is_same_v<C, Chare>, sum += found ? 0 : entry_list<typename C::entries>::count),
     ...);
    return sum;
  }
  template <class Chare>
  static IMBREX_DEVICE constexpr std::uint32_t first_reduction() {
    std::uint32_t sum = entries;
    bool found = false;
    ((found = found || std::is_same_v<C, Chare>,
      sum += found ? 0 : reduction_list<typename reductions_of<C>::type>::count),
     ...);
    return sum;
  }
  template <auto Entry>
  static IMBREX_DEVICE constexpr std::uint32_t number() {
    using chare = typename traits_of<Entry>::chare;
    constexpr std::uint32_t here = entry_list<typename chare::entries>::template number<Entry>();
    static_assert(here != no_entry, "imbrex: this member is not in the class's list of entries");
    static_assert(array<chare>() != no_entry, "imbrex: this class is not in the program's list of chares");
    return first_entry<chare>() + here;
  }
  template <class Reduction>
  static IMBREX_DEVICE constexpr std::uint32_t reduction_number() {
    constexpr auto entry = reduction_traits<Reduction>::entry;
    using chare = typename traits_of<entry>::chare;
    return first_reduction<chare>() +
           reduction_list<typename reductions_of<chare>::type>::template number<entry>();
  }
  /// The reduction that ends with Entry.
  template <auto Entry>
  struct reduction_search {
    using chare = typename traits_of<Entry>::chare;
    using type = std::remove_pointer_t<
        decltype(reduction_list<typename reductions_of<chare>::type>::template find<Entry>())>;
    static_assert(!std::is_void_v<type>, "imbrex: this entry is not in the class's list of reductions");
  };
  template <auto Entry>
  using reduction_of = typename reduction_search<Entry>::type;
  /// For the entry, or else the reduction, with that number: the visitor's `template entry<E>()` or
  /// `template reduce<R>()`.
  template <class Visitor>
  static IMBREX_DEVICE void visit(std::uint32_t number, Visitor& visitor) {
    (entry_list<typename C::entries>::visit(number - first_entry<C>(), visitor), ...);
    (reduction_list<typename reductions_of<C>::type>::visit(number - first_reduction<C>(), visitor), ...);
  }
};

}  // namespace detail
}  // namespace imbrex::resident
