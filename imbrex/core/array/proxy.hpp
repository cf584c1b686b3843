// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/base/narrowed.hpp>
#include <imbrex/core/collective/reduction.hpp>
#include <imbrex/core/message/durable_names.hpp>
#include <imbrex/core/message/member_traits.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/core/name/key.hpp>
#include <imbrex/core/name/slice.hpp>

namespace imbrex {

namespace detail {

/// Stands in for a class with unknown index type, so that the compiler reports the error only once.
struct unknown_class {
  using index_type = index<1>;
};

}  // namespace detail

namespace detail {

template <class T>
inline constexpr bool has_public_index = requires { typename T::index_type; };

/// True if the index type of T is known; otherwise a static_assert says why not.
template <class T>
consteval bool check_index_is_known() {
  if constexpr (has_public_index<T>) {
    return true;
  } else if constexpr (requires { sizeof(T); }) {
    static_assert(
        has_public_index<T>,
        "imbrex: a chare class says in public that it is one: `class block : public imbrex::chare<block>`");
    return false;
  } else {
    static_assert(
        has_public_index<T>,
        "imbrex: a proxy needs the index of its chare class, which is only declared so far: define the class "
        "before, or say `template <> struct imbrex::index_of<T> { using type = imbrex::index<1>; };`");
    return false;
  }
}

}  // namespace detail

/// The index type of the chare class T. If two classes keep proxies of each other, one of them is still
/// incomplete at the other's definition. Specialise this template after its declaration: `template <> struct
/// imbrex::index_of<pair> { using type = imbrex::index<6>; };`
template <class T>
struct index_of {
  /// index or key of the elements
  using type =
      typename std::conditional_t<detail::check_index_is_known<T>(), T, detail::unknown_class>::index_type;
};

template <class T>
class array;
template <class T>
class section;
template <class T>
class group;

namespace detail {

[[noreturn]] void throw_wrong_index(std::string_view chare_name, const std::string& index,
                                    const std::string& shape);
void check_priority(int priority);

using pe_number = narrowed<int, pe_words>;
using priority_number = narrowed<int, priority_words>;

/// An integer type that differs from an array's key type.
template <class I, class Key>
concept other_integer =
    std::integral<I> && std::integral<Key> && !std::same_as<I, Key> && !std::same_as<Key, bool>;
[[noreturn]] void throw_not_here(std::string_view group_of, int pe);

/// Rejects `coalesced` for a proxy of many chares at compile time.
template <class Proxy>
Proxy refuse_coalesced() {
  static_assert(
      std::is_void_v<Proxy>,
      "imbrex: only messages to one chare may wait for others: say whose, as in all[i].coalesced()");
  return {};
}

/// The types of a reduction of the results of entry M.
template <class T, auto M, class Op>
using reduction_of =
    reduction<storable<typename traits_of<M>::result>, Op, key_type<typename index_of<T>::type>>;

/// Rejects a reduction of Vs without an operation at compile time.
template <class V>
pending<V> refuse_no_operation() {
  static_assert(
      !std::is_same_v<V, V>,
      "imbrex: a reduction needs an operation, before the arguments of an entry: imbrex::sum, for example");
  return pending<V>("nothing");
}

/// The operation for calls without results: combines their ends.
struct completion_operation {
  nothing operator()(const nothing&, const nothing&) const { return {}; }
};

}  // namespace detail

/// The proxy of one chare, on whatever PE: a small value that can be stored, compared and sent. It may name
/// an element that does not exist yet; messages to it wait for its insertion. Using a default-constructed
/// proxy throws imbrex::error.
template <class T>
class element {
 public:
  using chare_type = T;  ///< class of the chare
  /// index or key by which the array knows the element
  using key = detail::key_type<typename index_of<T>::type>;

  element() = default;
  /// For the runtime; programs get elements from arrays, groups and make_chare.
  element(std::uint64_t collection, key k, std::int8_t priority = 0)
      : collection_(collection), key_(std::move(k)), priority_(priority) {}

  /// Calls an entry method. The message leaves now; the result may be awaited later.
  template <auto M, class... A>
  pending<typename detail::traits_of<M>::result> call(A&&... arguments) const;

  /// This proxy for messages with a priority of -32 to 31. Lower values run first; the default is 0.
  element with_priority(detail::priority_number priority) const {
    detail::check_priority(priority);
    element e = *this;
    e.priority_ = static_cast<std::int8_t>(int{priority});
    return e;
  }

  /// This proxy for short messages that may be coalesced. Messages of up to 256 packed bytes to one PE of
  /// another process leave together, at this PE's next poll of the network. They leave before anything else
  /// that is sent there. A PE polls when it has nothing to run, or has run 16 messages (64 if too many have
  /// arrived). A broadcast to its elements counts as one message. Coalescing raises the message rate, but
  /// each message leaves later: if an entry computes after sending, send as usual. There is no effect within
  /// a process, in simulated time, and with `--net-latency` and similar options.
  element coalesced() const {
    element e = *this;
    e.coalesced_ = true;
    return e;
  }

  /// Destroys the chare, with all its suspended entries. Asynchronous. A later message to the chare is an
  /// error, unless it is for the whole array. A default-constructed proxy destroys nothing.
  void destroy() const;

  std::uint64_t collection() const { return collection_; }  ///< number of the array in this run
  const key& key_value() const { return key_; }             ///< index or key of the element
  std::int8_t priority() const { return priority_; }        ///< priority of messages by this proxy
  /// True if messages by this proxy may wait for others to the same PE.
  bool is_coalesced() const { return coalesced_; }
  void serialize(auto& ar) {
    if (auto* const names = detail::names_of(ar)) [[unlikely]]
      detail::archive_element(*names, collection_, key_, ar);
    else
      ar(collection_, key_);
    auto how = static_cast<std::int8_t>(priority_ * 2 + (coalesced_ ? 1 : 0));
    ar(how);
    if constexpr (std::remove_cvref_t<decltype(ar)>::reading) {
      priority_ = static_cast<std::int8_t>(how >> 1);
      coalesced_ = (how & 1) != 0;
    }
  }
  /// True for the same chare. The priority and `is_coalesced` are not compared.
  bool operator==(const element& other) const {
    return collection_ == other.collection_ && key_ == other.key_;
  }
  std::weak_ordering operator<=>(const element& other) const {
    if (collection_ != other.collection_) return collection_ <=> other.collection_;
    if (detail::key_less(key_, other.key_)) return std::weak_ordering::less;
    return detail::key_less(other.key_, key_) ? std::weak_ordering::greater : std::weak_ordering::equivalent;
  }

 private:
  std::uint64_t collection_ = 0;
  key key_{};
  std::int8_t priority_ = 0;
  bool coalesced_ = false;
};

/// The proxy of all elements of an array.
template <class T>
class array {
 public:
  using chare_type = T;  ///< class of the elements
  using index_type = typename index_of<T>::type;

  array() = default;
  /// For the runtime; programs get arrays from make_array and peers().
  array(std::uint64_t collection, [[maybe_unused]] const index_type& shape) : collection_(collection) {
    if constexpr (detail::is_index<index_type>) shape_ = shape;
  }

  /// The element with this index, with this proxy's priority. Throws imbrex::error if the index is outside
  /// the array's shape.
  element<T> operator[](const index_type& i) const {
    if constexpr (detail::is_index<index_type>) {
      if (!contains(shape_, i)) [[unlikely]]
        throw_outside(i);
      return {collection_, detail::linear(shape_, i), priority_};
    } else {
      return {collection_, i, priority_};
    }
  }

  /// The element with a key of another integer type. Throws imbrex::error if the key is out of range of the
  /// array's key type.
  template <detail::other_integer<index_type> I>
  element<T> operator[](I i) const {
    return (*this)[detail::narrow<index_type, detail::key_words>(i)];
  }

  /// Rejects an integer as an index of several dimensions; the compiler message says what to write.
  template <class I>
    requires(std::is_integral_v<I> && detail::is_index<index_type> && !std::is_constructible_v<index_type, I>)
  element<T> operator[](I) const {
    static_assert(std::is_void_v<I>, "imbrex: this array has several dimensions: index it as in all[{1, 2}]");
    return {};
  }

  /// The extents, each 0 or more. Only for arrays with dense indices.
  const index_type& shape() const
    requires detail::is_index<index_type>
  {
    return shape_;
  }
  /// Number of elements that the shape has room for.
  std::uint64_t size() const
    requires detail::is_index<index_type>
  {
    return detail::volume(shape_);
  }

  /// Creates an element on the PE that the array's placement names, by a message of this proxy's priority.
  /// Asynchronous. Messages sent to the element now wait for it there. They are then delivered by priority,
  /// and in the order in which they arrived. Inserting an index that has an element ends the run. The index
  /// of a destroyed element can be used again. Messages sent to it before the new element exists are refused,
  /// so await quiescence or a call in between.
  template <class... A>
  void insert(const index_type& i, A&&... constructor_arguments) const;
  template <detail::other_integer<index_type> I, class... A>
  void insert(I i, A&&... constructor_arguments) const {
    insert(detail::narrow<index_type, detail::key_words>(i), std::forward<A>(constructor_arguments)...);
  }

  /// Calls an entry method of every element and reduces the results. Elements that are inserted or destroyed
  /// meanwhile may or may not take part; elements that migrate take part once. co_await throws the exceptions
  /// of entries, and imbrex::error if there are no elements.
  template <auto M, class Op, class... A>
  auto reduce(Op operation, A&&... arguments) const
      -> pending<typename detail::reduction_of<T, M, Op>::result>;
  /// Reports a missing operation at compile time.
  template <auto M>
  auto reduce() const {
    return detail::refuse_no_operation<typename detail::traits_of<M>::result>();
  }

  /// Calls an entry method of every element. The result is ready when all calls have ended; at once if there
  /// are no elements.
  template <auto M, class... A>
  pending<void> call(A&&... arguments) const;

  /// Becomes ready when the elements that make_array or make_group creates exist on all PEs, and `local` can
  /// be used on each. Elements that `insert` creates are not waited for. On the PE that made the array it
  /// throws the exceptions of constructors on other PEs.
  pending<void> created() const;

  /// Destroys the array: all its elements with their suspended entries, and the runtime's records of it. The
  /// result is ready when that is done; at once if it was done before. A later message to the array is an
  /// error. An array that began with elements and has none left ends by itself after some hundred other
  /// arrays have lost their last elements. A default-constructed proxy destroys nothing.
  pending<void> destroy() const;

  /// A proxy of some elements of the array, possibly none, with this proxy's priority. The member list stays
  /// on this PE, so the proxy's size does not depend on the number of members.
  imbrex::section<T> section(std::vector<index_type> members) const;

  /// A proxy of the elements in a slice of each dimension, in the notation of std::submdspan. A slice is an
  /// index; a pair of the first index and one past the last; `imbrex::full_extent`; or an
  /// `imbrex::strided_slice`. A plane is `cube.section(imbrex::full_extent, 2, imbrex::full_extent)`, a box
  /// `cube.section(std::pair{1, 4}, 2, std::pair{0, 2})`. Throws imbrex::error for a slice that is not within
  /// the shape. O(members).
  template <detail::slice... S>
    requires(detail::is_index<index_type> && sizeof...(S) == detail::dimensions_of<index_type>)
  imbrex::section<T> section(S... slices) const;

  /// A proxy of the array whose messages have this priority, -32 to 31, lower first.
  array with_priority(detail::priority_number priority) const {
    detail::check_priority(priority);
    array a = *this;
    a.priority_ = static_cast<std::int8_t>(int{priority});
    return a;
  }

  /// Reports at compile time which proxies support coalescing.
  template <class Self = array>
  Self coalesced() const {
    return detail::refuse_coalesced<Self>();
  }

  std::uint64_t collection() const { return collection_; }  ///< number of the array in this run
  std::int8_t priority() const { return priority_; }        ///< priority of messages by this proxy
  void serialize(auto& ar) {
    auto* const names = detail::names_of(ar);
    if (names != nullptr) [[unlikely]]
      detail::archive_collection(*names, collection_, ar);
    else
      ar(collection_);
    ar(priority_);
    if constexpr (detail::is_index<index_type>) ar(shape_);
    if constexpr (std::remove_cvref_t<decltype(ar)>::reading && detail::fits_one_dimension<index_type>) {
      const int size = names != nullptr ? names->size_of_group(collection_) : -1;
      if (size >= 0) shape_ = index_type(size);
    }
  }
  bool operator==(const array& other) const { return collection_ == other.collection_; }
  auto operator<=>(const array& other) const { return collection_ <=> other.collection_; }

 private:
  [[noreturn]] void throw_outside(const index_type& i) const {
    if (collection_ == detail::nothing_created) detail::throw_names_nothing(detail::shown_type<T>::name);
    detail::throw_wrong_index(detail::shown_type<T>::name, to_string(i), to_string(shape_));
  }

  std::uint64_t collection_ = 0;
  std::int8_t priority_ = 0;
  [[no_unique_address]] std::conditional_t<detail::is_index<index_type>, index_type, detail::nothing>
      shape_{};
};

/// The proxy of some elements of an array.
template <class T>
class section {
 public:
  using chare_type = T;  ///< class of the elements

  section() = default;
  /// For the runtime: the section `id` of an array.
  section(std::uint64_t collection, std::uint64_t id, std::int8_t priority = 0)
      : collection_(collection), priority_(priority), id_(id) {}

  template <auto M, class Op, class... A>
  auto reduce(Op operation, A&&... arguments) const
      -> pending<typename detail::reduction_of<T, M, Op>::result>;
  /// Reports a missing operation at compile time.
  template <auto M>
  auto reduce() const {
    return detail::refuse_no_operation<typename detail::traits_of<M>::result>();
  }
  /// Calls an entry of all members; the result is ready when all have ended.
  template <auto M, class... A>
  pending<void> call(A&&... arguments) const;

  /// A proxy of the section whose messages have this priority, -32 to 31, lower first.
  section with_priority(detail::priority_number priority) const {
    detail::check_priority(priority);
    section s = *this;
    s.priority_ = static_cast<std::int8_t>(int{priority});
    return s;
  }
  /// Reports at compile time which proxies support coalescing.
  template <class Self = section>
  Self coalesced() const {
    return detail::refuse_coalesced<Self>();
  }

  std::uint64_t collection() const { return collection_; }  ///< number of the array in this run
  std::uint64_t id() const { return id_; }            ///< number of the section among those of the array
  std::int8_t priority() const { return priority_; }  ///< priority of messages by this proxy
  void serialize(auto& ar) {
    if (auto* const names = detail::names_of(ar)) [[unlikely]] {
      detail::archive_collection(*names, collection_, ar);
      if constexpr (std::remove_cvref_t<decltype(ar)>::reading)
        id_ = names->read_section(collection_, ar);
      else
        names->write_section(collection_, id_, ar);
    } else {
      ar(collection_, id_);
    }
    ar(priority_);
  }
  bool operator==(const section& other) const { return collection_ == other.collection_ && id_ == other.id_; }
  std::strong_ordering operator<=>(const section& other) const {
    return collection_ != other.collection_ ? collection_ <=> other.collection_ : id_ <=> other.id_;
  }

 private:
  std::uint64_t collection_ = 0;
  std::int8_t priority_ = 0;
  std::uint64_t id_ = 0;
};

/// The proxy of a group: one chare on each PE, which never migrates.
template <class T>
class group {
 public:
  using chare_type = T;  ///< class of the chares

  group() = default;
  /// For the runtime: the group whose chares are the elements of this array.
  explicit group(array<T> members) : members_(members) {}

  /// The chare on this PE number, with this proxy's priority.
  element<T> operator[](detail::pe_number pe) const { return members_[int{pe}]; }
  int size() const { return members_.shape()[0]; }
  /// Becomes ready when all chares of the group exist: see array::created.
  pending<void> created() const { return members_.created(); }
  /// Destroys the group: see array::destroy.
  pending<void> destroy() const { return members_.destroy(); }
  /// The chare on the calling PE, for direct calls. Throws imbrex::error until the group's creation has
  /// reached this PE. Other messages may arrive before it, so await `created` first, on the PE that made the
  /// group.
  T* local() const;

  template <auto M, class Op, class... A>
  auto reduce(Op operation, A&&... arguments) const {
    return members_.template reduce<M>(operation, std::forward<A>(arguments)...);
  }
  /// Reports a missing operation at compile time.
  template <auto M>
  auto reduce() const {
    return detail::refuse_no_operation<typename detail::traits_of<M>::result>();
  }
  /// Calls an entry of each PE's chare; the result is ready when all have ended.
  template <auto M, class... A>
  pending<void> call(A&&... arguments) const {
    return members_.template call<M>(std::forward<A>(arguments)...);
  }
  /// A proxy of the group whose messages have this priority, -32 to 31, lower first.
  group with_priority(detail::priority_number priority) const {
    return group(members_.with_priority(priority));
  }
  /// Reports at compile time which proxies support coalescing.
  template <class Self = group>
  Self coalesced() const {
    return detail::refuse_coalesced<Self>();
  }

  /// The chares as an array, with one index for each PE.
  const array<T>& members() const { return members_; }
  void serialize(auto& ar) { ar(members_); }
  auto operator<=>(const group& other) const = default;

 private:
  array<T> members_;
};

}  // namespace imbrex

template <class T>
struct std::hash<imbrex::element<T>> {
  std::size_t operator()(const imbrex::element<T>& e) const {
    return static_cast<std::size_t>(imbrex::detail::key_hash(e.key_value()) ^ e.collection());
  }
};
