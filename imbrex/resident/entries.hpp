// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <imbrex/resident/arguments.hpp>
#include <imbrex/resident/host_entry.hpp>
#include <imbrex/resident/index.hpp>

namespace imbrex::resident {

template <class Chare>
class context;

/// Entry methods of a class. Their positions in this list identify them, because the device cannot register
/// them.
///
///     using entries = imbrex::resident::entries<&cell::token, &cell::halo>;
///
/// The list stands in the class, after the members that it names. An entry is `void m(context<cell>&,
/// arguments...)`. The arguments are trivially copyable, together at most 64 bytes. The last may be a
/// `payload`.
template <auto... Entry>
struct entries {};

/// Reductions of a class: see `reduction`.
template <class... Reduction>
struct reductions {};

/// Combines one value of each element, and runs Entry of the first element with the result. Elements give
/// values by `here.contribute<Entry>(value)`. The order of combination depends on the placement only.
template <auto Entry, class Operation>
struct reduction {};
/// Like `reduction`, with the result for all elements.
template <auto Entry, class Operation>
struct all_reduction {};

/// Classes of a program, each of which has one array. Classes that send to each other have one list:
///
///     using chares = imbrex::resident::chares<cell, wall>;  // in both; without it a class is alone
template <class... Chare>
struct chares {};

/// Kinds of PEs. Each class of a program names the kind by `using pe = imbrex::resident::cluster<4>;`. All
/// threads of a PE run its entries. So a large PE suits much work per message, and many PEs suit many
/// messages.
///
/// A thread block, on a multiprocessor. This is the default.
struct block {};
/// A PE of `Blocks` blocks, which run near each other, on GPUs from sm_90 on.
template <unsigned Blocks>
struct cluster {
  static_assert(Blocks >= 2 && Blocks <= 8, "imbrex: a cluster has 2 to 8 blocks");
};
/// A PE of one block. `Blocks` consecutive PEs run near each other, on GPUs from sm_90 on. Messages between
/// them go from the shared memory of one to that of another.
template <unsigned Blocks>
struct block_of_cluster {
  static_assert(Blocks >= 2 && Blocks <= 8, "imbrex: a cluster has 2 to 8 blocks");
};
/// A PE of all blocks of a GPU: each GPU has one PE.
struct whole_gpu {};

/// Base of a class of chares inside a GPU. It has no data.
template <class Derived, class Index = index<1>>
struct chare {
  using index_type = Index;
};

/// Adds the values.
struct sum_operation {
  template <class V>
  IMBREX_DEVICE V operator()(const V& a, const V& b) const {
    return a + b;
  }
};
/// Multiplies the values.
struct product_operation {
  template <class V>
  IMBREX_DEVICE V operator()(const V& a, const V& b) const {
    return a * b;
  }
};
/// Keeps the smallest value.
struct min_operation {
  template <class V>
  IMBREX_DEVICE V operator()(const V& a, const V& b) const {
    return b < a ? b : a;
  }
};
/// Keeps the largest value.
struct max_operation {
  template <class V>
  IMBREX_DEVICE V operator()(const V& a, const V& b) const {
    return a < b ? b : a;
  }
};

namespace detail {

template <class Chare, class = void>
struct pe_of_class {
  using type = block;
};
template <class Chare>
struct pe_of_class<Chare, std::void_t<typename Chare::pe>> {
  using type = typename Chare::pe;
};
/// Kind of PEs of a program with that class.
template <class Chare>
using pe_kind = typename pe_of_class<Chare>::type;
template <class List>
struct pe_of_list;
template <class First, class... Rest>
struct pe_of_list<chares<First, Rest...>> {
  static_assert((std::is_same_v<pe_kind<First>, pe_kind<Rest>> && ...),
                "imbrex: each class of a program inside a GPU names the same kind of PE: using pe = "
                "imbrex::resident::cluster<4>");
  using type = pe_kind<First>;
};

/// Blocks per PE; 0: all of a GPU.
template <class Kind>
inline constexpr unsigned blocks_of = 1;
template <unsigned Blocks>
inline constexpr unsigned blocks_of<cluster<Blocks>> = Blocks;
template <>
inline constexpr unsigned blocks_of<whole_gpu> = 0;
/// PEs per cluster; 1: there are no clusters.
template <class Kind>
inline constexpr unsigned neighbours_of = 1;
template <unsigned Blocks>
inline constexpr unsigned neighbours_of<block_of_cluster<Blocks>> = Blocks;

template <class Entry>
struct entry_traits {
  static_assert(std::is_void_v<Entry>,
                "imbrex: an entry inside a GPU is void m(imbrex::resident::context<C>&, arguments...)");
};
template <class C, class... A>
struct entry_traits<void (C::*)(context<C>&, A...)>
    : argument_traits<std::remove_cv_t<std::remove_reference_t<A>>...> {
  static_assert(((!std::is_reference_v<A> || std::is_const_v<std::remove_reference_t<A>>) && ...),
                "imbrex: an entry inside a GPU cannot take a reference to non-const");
  using chare = C;
  using index_type = typename C::index_type;
  static constexpr bool is_numbered =
      std::is_same_v<typename first_of<std::remove_cv_t<std::remove_reference_t<A>>...>::type, reference>;
};
template <auto Entry>
using traits_of = entry_traits<std::remove_cv_t<decltype(Entry)>>;

template <auto A, auto B>
inline constexpr bool same_entry = std::is_same_v<std::integral_constant<std::remove_cv_t<decltype(A)>, A>,
                                                  std::integral_constant<std::remove_cv_t<decltype(B)>, B>>;
/// Maximum number of entries and reductions of a program.
inline constexpr std::uint32_t most_entries = 126;

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
  /// Index of a numbered entry among the numbered ones.
  template <auto Entry>
  static IMBREX_DEVICE constexpr std::uint32_t place_among_numbered() {
    std::uint32_t n = 0, at = no_entry;
    ((at = same_entry<Entry, All> ? n : at, n += traits_of<All>::is_numbered ? 1U : 0U), ...);
    return at;
  }
  /// Calls `visitor.template entry<E>()` for the entry of that number.
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
  /// Null pointer whose type points to the reduction that ends with Entry; a pointer to void if there is
  /// none.
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
struct host_entries_of {
  using type = host_entries<>;
};
template <class C>
struct host_entries_of<C, std::void_t<typename C::tells>> {
  using type = typename C::tells;
};
template <class C, class = void>
struct chares_of {
  using type = chares<C>;
};
template <class C>
struct chares_of<C, std::void_t<typename C::chares>> {
  using type = typename C::chares;
};

/// Entries of a program, in the order of its classes, and then its reductions. Positions are their numbers in
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
                "imbrex: a program inside a GPU has at most 126 entries and reductions");

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
  /// Number of the host's entries that the classes name; they are numbered in the order of classes.
  static constexpr std::uint32_t host_entries =
      (0U + ... + host_entry_list<typename host_entries_of<C>::type>::count);
  static_assert(host_entries <= most_host_entries,
                "imbrex: a program inside a GPU has at most 255 entries of the host");
  template <class Chare, class Entry>
  static IMBREX_DEVICE constexpr std::uint32_t host_number() {
    constexpr std::uint32_t here =
        host_entry_list<typename host_entries_of<Chare>::type>::template number<Entry>();
    static_assert(here != no_entry, "imbrex: this entry of the host is not in the class's list: tells");
    std::uint32_t sum = 0;
    bool found = false;
    ((found = found || std::is_same_v<C, Chare>,
      sum += found ? 0 : host_entry_list<typename host_entries_of<C>::type>::count),
     ...);
    return sum + here;
  }
  /// Reduction that ends with Entry.
  template <auto Entry>
  struct reduction_search {
    using chare = typename traits_of<Entry>::chare;
    using type = std::remove_pointer_t<
        decltype(reduction_list<typename reductions_of<chare>::type>::template find<Entry>())>;
    static_assert(!std::is_void_v<type>, "imbrex: this entry is not in the class's list of reductions");
  };
  template <auto Entry>
  using reduction_of = typename reduction_search<Entry>::type;
  /// Calls the visitor's `template entry<E>()` or `template reduce<R>()` for the entry or reduction of that
  /// number.
  template <class Visitor>
  static IMBREX_DEVICE void visit(std::uint32_t number, Visitor& visitor) {
    (entry_list<typename C::entries>::visit(number - first_entry<C>(), visitor), ...);
    (reduction_list<typename reductions_of<C>::type>::visit(number - first_reduction<C>(), visitor), ...);
  }
};

}  // namespace detail
}  // namespace imbrex::resident
