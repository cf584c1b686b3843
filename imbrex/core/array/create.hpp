// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <imbrex/core/array/creation.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/core/message/shown_type.hpp>

namespace imbrex {
namespace detail {

/// The type in which a constructor argument is sent: by value, texts as strings.
template <class A>
using constructor_argument = std::conditional_t<std::is_convertible_v<std::decay_t<A>, std::string_view>,
                                                std::string, std::decay_t<A>>;

template <class Index, class Placement, bool IsSparse>
consteval array_kind kind_of_array() {
  if constexpr (std::is_same_v<Placement, pinned_placement>)
    return array_kind::group;
  else if constexpr (stays_on_its_pe<Placement>)
    return array_kind::process_group;
  else if constexpr (!is_index<Index>)
    return array_kind::keyed;
  else
    return IsSparse ? array_kind::sparse : array_kind::dense;
}

/// Creates one PE's part of an array.
template <class T, class Placement, bool IsSparse, class... A>
struct create_message final : message {
  using index_type = typename T::index_type;

  int creator = 0;
  placed_shape<index_type> shape{};
  std::string name;
  std::tuple<A...> arguments;

  create_message() = default;
  create_message(int pe, const placed_shape<index_type>& s, const std::string& its_name,
                 const std::tuple<A...>& a)
      : creator(pe), shape(s), name(its_name), arguments(a) {}

  static inline message_type type_record = runtime_message_type<create_message>(
      {.what = "creation",
       .of = shown_type<T>::name,
       .creates = stays_on_its_pe<Placement> ? nullptr : &detail::collection<T>::class_of_elements});
  const message_type* named_kind() const
    requires stands_for_classes<T>
  {
    return kind_of_name(std::get<0>(arguments));
  }
  void serialize(auto& ar) { ar(creator, shape, name, arguments); }
  void deliver() {
    const message_guard guard(*this);
    late_exception thrown;
    try {
      create(processor::here(), creator, collection, shape, name, arguments);
      return;
    } catch (...) {
      thrown.keep();
    }
    fail_creation(collection, thrown.take());
  }

  /// Forwards the creation to the PEs below this one in the creator's tree, then creates this PE's part.
  static void create(processor& pe, int creator, std::uint64_t id, const placed_shape<index_type>& shape,
                     const std::string& name, [[maybe_unused]] const std::tuple<A...>& arguments) {
    const auto shown = std::apply([](const auto&... a) { return class_to_show<T>(a...); }, arguments);
    array_origin origin{kind_of_array<index_type, Placement, IsSparse>(), name, type_name<Placement>()};
    check_new_array(pe, origin, shown, detail::collection<T>::class_of_elements);
    for (const int child : children_of(pe, creator)) {
      auto& m = make_message<create_message>(creator, shape, name, arguments);
      m.collection = id;
      pe.dispatch(m, child);
    }
    std::uint64_t elements = 0;
    if constexpr (!IsSparse) elements = volume(whole_shape<index_type>(shape));
    auto instance =
        make_owner<detail::collection<T>>(pe, id, shape, home_function_of<index_type, Placement>(shape),
                                          array_beginning{elements, elements > 0}, shown);
    auto& part = *instance;
    part.set_origin(std::move(origin));
    if constexpr (stays_on_its_pe<Placement>) part.pin();
    part.ending().set_creator(creator);
    pe.install(std::move(instance));
    if constexpr (!IsSparse) {
      const auto pes = static_cast<std::uint64_t>(pe.num_pes());
      part.reserve(static_cast<std::size_t>(elements / pes + (elements % pes != 0 ? 1 : 0)));
      const auto create_here = [&](std::uint64_t l) {
        std::apply([&](const auto&... a) { part.create(l, part.first_place(), a...); }, arguments);
      };
      part.is_failure_reported = pe.pe() == creator;  // the exception notifies the creator, while one may be
                                                      // thrown here
      try {
        for_each_on<Placement, index_type>(shape, pe.pe(), pe.num_pes(), create_here);
      } catch (const error&) {  // already names the constructor's exception
        throw;
      } catch (...) {
        rethrow_creation_failure(part.shown_name(), pe.pe());
      }
      part.is_failure_reported = false;
    }
    join_stop(part);
    part.reductions().created();
  }
};

/// Inserts an element at its home.
template <class T, class... A>
struct insert_message final : element_message<key_type<typename T::index_type>> {
  std::tuple<A...> arguments;

  insert_message() = default;
  template <class... Argument>
  explicit insert_message(std::in_place_t, Argument&&... values)
      : arguments(std::forward<Argument>(values)...) {}

  static inline message_type type_record =
      runtime_message_type<insert_message>({"insertion", shown_type<T>::name});
  const message_type* named_kind() const
    requires stands_for_classes<T>
  {
    return kind_of_name(std::get<0>(arguments));
  }
  void serialize(auto& ar) { ar(this->key, arguments); }
  void deliver() {
    deliver_to_part_of<T>(*this, [this](auto& part) {
      message_guard guard(*this);
      // The sender held the message if the array did not exist there yet.
      const int home = part.home_of(this->key);
      if (home != part.pe().pe()) return part.pe().dispatch(guard.release(), home);
      try {
        std::apply([&](auto&... a) { part.insert(this->key, std::move(a)...); }, arguments);
      } catch (...) {
        fail_run(part.pe(), describe_current_exception());
      }
    });
  }
};

/// True if a T can be constructed from arguments of these types after sending.
template <class T, class... A>
consteval bool constructor_fits() {
  using base = chare<T, typename T::index_type>;
  constexpr bool names_itself = std::is_base_of_v<base, T>;
  static_assert(
      names_itself,
      "imbrex: a chare class names itself in its base: `class block : public imbrex::chare<block>`");
  constexpr bool can_be = !std::is_abstract_v<T>;
  static_assert(can_be,
                "imbrex: this chare class has virtual functions that only classes derived from it define");
  if constexpr (!can_be) {
    return false;
  } else {
    static_assert(std::is_constructible_v<T, A...>,
                  "imbrex: the chare has no constructor that takes these arguments");
    return names_itself && std::is_constructible_v<T, A...>;
  }
}

/// Options of the message that creates an element.
struct creation_rules {
  std::int8_t priority = 0;
  bool coalesced = false;
};

/// Makes the message that inserts an element; the arguments must fit its constructor.
template <class T, class... A>
auto& make_insertion(std::uint64_t collection_id, const key_type<typename T::index_type>& key,
                     const creation_rules& rules, A&&... arguments) {
  auto& m = make_message<insert_message<T, constructor_argument<A>...>>(std::in_place,
                                                                        std::forward<A>(arguments)...);
  m.collection = collection_id;
  m.key = key;
  m.priority = rules.priority;
  m.coalesced = rules.coalesced;
  return m;
}

/// Inserts an element into an array; the index is inside the shape.
template <class T, class... A>
void insert_element(const element<T>& to, const creation_rules& rules, A&&... arguments) {
  if constexpr (constructor_fits<T, constructor_argument<A>...>()) {
    auto& pe = processor::here();
    auto& m = make_insertion<T>(pe.number_of(to.collection()), to.key_value(), rules,
                                std::forward<A>(arguments)...);
    deliver_to_part_of<T>(m, [&](auto& part) {
      message_guard guard(m);  // a placement may throw
      const int home = part.home_of(m.key);
      pe.dispatch(guard.release(), home);
    });
  }
}

template <class T, class Placement, bool IsSparse, class... A>
consteval bool creation_fits() {
  constexpr bool late_arguments = IsSparse && sizeof...(A) > (stands_for_classes<T> ? 1 : 0);
  static_assert(
      !late_arguments,
      "imbrex: an array that begins without elements takes no constructor arguments: give them to insert");
  constexpr bool has_equality = std::equality_comparable<typename T::index_type>;
  static_assert(has_equality,
                "imbrex: the key of an array needs ==, such as `bool operator==(const K&) const = default;`");
  if constexpr (IsSparse || !has_equality) {
    return !late_arguments && has_equality;
  } else {
    return constructor_fits<T, const A&...>();
  }
}

template <class T, class Placement, bool IsSparse, class... A>
array<T> create_array(const layout<typename T::index_type, Placement, IsSparse>& how, const A&... arguments) {
  using index_type = typename T::index_type;
  if constexpr (creation_fits<T, Placement, IsSparse, constructor_argument<A>...>()) {
    auto& pe = processor::here();
    if constexpr (is_index<index_type>) {
      if (is_below_zero(how.shape) || volume(how.shape) > std::uint64_t{1} << (IsSparse ? 62U : 40U))
        throw_wrong_shape(class_to_show<T>(arguments...), to_string(how.shape));
    }
    const auto shown = class_to_show<T>(arguments...);
    array_origin origin{kind_of_array<index_type, Placement, IsSparse>(), how.name, {}};
    const std::uint64_t id = number_new_array(pe, origin, shown);
    using message = create_message<T, Placement, IsSparse, constructor_argument<A>...>;
    const std::tuple<constructor_argument<A>...> stored(arguments...);
    try {
      message::create(pe, pe.pe(), id, shape_in_run<Placement>(pe, how.shape), origin.name, stored);
    } catch (...) {  // the caller gets no proxy to the elements created so far
      if (pe.collection(id) != nullptr) static_cast<void>(end_array(id));
      throw;
    }
    return array<T>(pe.in_proxy(id), how.shape);
  } else {
    return {};
  }
}

}  // namespace detail

/// Creates an array of chares with this shape, each constructed from copies of the arguments, and returns its
/// proxy at once. The elements on this PE exist on return; others will exist before a message reaches them.
/// `created` of the array waits for them. An array without elements is allowed. Throws imbrex::error for a
/// shape with an extent below 0 or of more than 2^40 elements, and if a constructor here throws: then the
/// elements created so far are destroyed. A constructor that throws on another PE ends the run, unless
/// `created` is being awaited on this PE by then.
template <class T, class... A>
array<T> make_array(const typename T::index_type& shape, const A&... constructor_arguments)
  requires detail::is_index<typename T::index_type>
{
  return detail::create_array<T>(dense(shape), constructor_arguments...);
}

/// Creates an array with a placement, or a sparse one:
/// `make_array<cell>(imbrex::sparse(imbrex::index<2>{1000, 1000}))`,
/// `make_array<block>(imbrex::dense(shape).placed(imbrex::round_robin), cells)`.
template <class T, class Placement, bool IsSparse, class... A>
array<T> make_array(const detail::layout<typename T::index_type, Placement, IsSparse>& how,
                    const A&... constructor_arguments) {
  return detail::create_array<T>(how, constructor_arguments...);
}

/// Creates an array with keys of a user type, which begins empty.
template <class T>
array<T> make_array()
  requires(!detail::is_index<typename T::index_type>)
{
  return detail::create_array<T>(keyed<typename T::index_type>());
}

/// Reports at compile time why a class is no chare class: no `chare` base, or a private one.
template <class T, class... A>
  requires(!detail::has_public_index<T>)
void make_array(const A&...) {
  static_cast<void>(detail::check_index_is_known<T>());
}
template <class T, class... A>
  requires(!detail::has_public_index<T>)
void make_group(const A&...) {
  static_cast<void>(detail::check_index_is_known<T>());
}
template <class T, class... A>
  requires(!detail::has_public_index<T>)
void make_chare(A&&...) {
  static_cast<void>(detail::check_index_is_known<T>());
}
template <class T, class... A>
  requires(!detail::has_public_index<T>)
void make_chare_on(detail::pe_number, A&&...) {
  static_cast<void>(detail::check_index_is_known<T>());
}

/// Creates a group: one chare on each PE, constructed from copies of the arguments. where()[0] is its PE.
template <class T, class... A>
group<T> make_group(const A&... constructor_arguments) {
  static_assert(detail::fits_one_dimension<typename T::index_type>,
                "imbrex: the chares of a group have the index type index<1>");
  const typename T::index_type shape(detail::processor::here().num_pes());
  return group<T>(
      detail::create_array<T>(dense(shape).placed(detail::pinned_placement{}), constructor_arguments...));
}

/// Creates single chares and elements by messages with a priority, or by messages that may be coalesced.
/// Returned by `imbrex::with_priority` and `imbrex::coalesced`.
class creator {
 public:
  /// Default priority, without coalescing.
  creator() = default;
  /// For programs there are `imbrex::with_priority` and `imbrex::coalesced`.
  explicit creator(const detail::creation_rules& rules) : rules_(rules) {}

  /// Returns a creator with this priority; see imbrex::with_priority.
  creator with_priority(detail::priority_number priority) const {
    detail::check_priority(priority);
    return creator({static_cast<std::int8_t>(int{priority}), rules_.coalesced});
  }
  /// Returns a creator whose messages may be coalesced; see imbrex::coalesced.
  creator coalesced() const { return creator({rules_.priority, true}); }

  /// See imbrex::make_chare_on.
  template <class T, class... A>
  element<T> make_chare_on(detail::pe_number pe_of_chare, A&&... constructor_arguments) const {
    auto& pe = detail::processor::here();
    const int where = pe_of_chare;
    if (where < 0 || where >= pe.num_pes()) detail::throw_wrong_pe("make_chare_on", where, pe.num_pes());
    auto& part = detail::singles_part<T>(pe, detail::singles_of<T>(constructor_arguments...));
    const std::uint64_t id = part.id();
    const auto key = part.new_single(where);
    if constexpr (detail::constructor_fits<T, detail::constructor_argument<A>...>())
      pe.dispatch(detail::make_insertion<T>(id, key, rules_, std::forward<A>(constructor_arguments)...),
                  where);
    return {pe.in_proxy(id), key};
  }

  /// See imbrex::make_chare.
  template <class T, class... A>
  element<T> make_chare(A&&... constructor_arguments) const {
    static_assert(detail::fits_one_dimension<typename T::index_type>,
                  "imbrex: a single chare has the index type index<1>");
    auto& pe = detail::processor::here();
    return make_chare_on<T>(pe.next_pe(), std::forward<A>(constructor_arguments)...);
  }

  /// See array::insert. The priority is that of this creator, not of the array.
  template <class T, class... A>
  void insert(const array<T>& into, const typename index_of<T>::type& i, A&&... constructor_arguments) const {
    detail::insert_element(into[i], rules_, std::forward<A>(constructor_arguments)...);
  }

 private:
  detail::creation_rules rules_;
};

/// Creations with a priority in the PE's queue, as messages of a proxy `with_priority`:
/// `imbrex::with_priority(-3).make_chare<node>(...)`. Lower values run first, from -32 to 31; the default is
/// 0. The returned proxy has no priority of its own. Throws imbrex::error for another priority.
inline creator with_priority(detail::priority_number priority) { return creator().with_priority(priority); }

/// Creations by messages that may be coalesced, as those of a proxy `coalesced`:
/// `imbrex::coalesced().make_chare<node>(...)`, `imbrex::coalesced().insert(tree, key, ...)`. Meant for many
/// small chares whose latency does not matter.
inline creator coalesced() { return creator().coalesced(); }

/// Creates a single chare on PE `where` and returns its proxy at once. The chare has no index and no peers.
/// Throws imbrex::error if there is no such PE.
template <class T, class... A>
element<T> make_chare_on(detail::pe_number where, A&&... constructor_arguments) {
  return creator().make_chare_on<T>(where, std::forward<A>(constructor_arguments)...);
}

/// Creates a single chare on a PE that the runtime chooses.
template <class T, class... A>
element<T> make_chare(A&&... constructor_arguments) {
  return creator().make_chare<T>(std::forward<A>(constructor_arguments)...);
}

template <class T>
pending<void> array<T>::created() const {
  const auto& pe = detail::processor::here();
  const std::uint64_t number = pe.number_of(collection_);
  if (auto* part = pe.collection(number))
    detail::checked<T>(*part);
  else
    pe.check_run(number, detail::shown_type<T>::name);
  return detail::end_of_creation(number);
}

template <class T>
pending<void> array<T>::destroy() const {
  const auto& pe = detail::processor::here();
  const std::uint64_t number = pe.number_of(collection_);
  if (auto* part = pe.collection(number))
    detail::checked<T>(*part);
  else if (collection_ != detail::nothing_created)
    pe.check_run(number, detail::shown_type<T>::name);
  return detail::end_array(number);
}

template <class T>
template <class... A>
void array<T>::insert(const index_type& i, A&&... constructor_arguments) const {
  detail::insert_element((*this)[i], {priority_, false}, std::forward<A>(constructor_arguments)...);
}

template <class Derived, class Index>
array<Derived> chare<Derived, Index>::peers() const {
  const auto& part = static_cast<const detail::collection<Derived>&>(*detail::header_of(*this).home);
  if (part.is_of_singles()) detail::throw_no_peers("peers", detail::header_of(*this));
  return part.proxy();
}

}  // namespace imbrex
