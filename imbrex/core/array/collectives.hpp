// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/exchange.hpp>

/// Collectives that give each member of an array or a group something else than the others. As for all_reduce, each
/// member takes part, in the same order of calls, with the same types; what is given leaves with the call, and the result
/// is awaited: `const double before = co_await imbrex::scan(*this, mine, imbrex::sum);`. Members are in the order of their
/// indices (keys). Between PEs, the values of all members go in one message for each pair of PEs that have something for
/// each other; a tree of PEs tells everybody that all have come. Each throws imbrex::error in a constructor and in a single
/// chare. An exception of an operation, or of a value that cannot be packed, is thrown at all members.

namespace imbrex {
namespace detail {

/// "all_to_all: block(3) gave 5 values, and the array has 8 members: ..."
[[noreturn]] void throw_wrong_count(const char* what, const chare_header& element, std::size_t values,
                                    std::uint64_t members);
/// The array began empty, so that its members have no numbers.
[[noreturn]] void throw_not_dense(const char* what, const chare_header& element);
[[noreturn]] void throw_no_member(const char* what, const chare_header& element, const std::string& index,
                                  const std::string& shape);

/// The chare class of an object, and the members of its array.
template <class Derived, class Index>
Derived& derived_of(chare<Derived, Index>& c) {
  return static_cast<Derived&>(c);
}
template <class T>
collection<T>& part_of_chare(T& chare) {
  return static_cast<collection<T>&>(*element_memory<T>::of(chare).home);
}
/// Of an array whose members have numbers: a dense one, or a group.
template <class T>
void check_count(const char* what, T& chare, std::size_t values) {
  static_assert(
      is_index<typename T::index_type>,
      "imbrex: this collective numbers the members, so it needs an array with an index: use exchange");
  const auto& part = part_of_chare(chare);
  const auto& element = element_memory<T>::of(chare);
  if (!part.began_filled() && !part.is_of_singles()) throw_not_dense(what, element);
  if (const auto members = volume(part.shape_for_proxy()); values != members && !part.is_of_singles())
    throw_wrong_count(what, element, values, members);
}

/// Each member gives values to some.
template <class T, class V>
struct sparse_pattern {
  using index_type = typename T::index_type;
  using from_type = key_type<index_type>;
  using value_type = V;
  using given_type = std::vector<std::pair<from_type, V>>;
  using result_type = std::map<index_type, V>;

  template <class Exchange>
  void send(Exchange& to, const from_type& from, given_type&& given) {
    for (auto& [k, value] : given) to.send(from, k, std::move(value));
  }
  template <class Exchange>
  void flush(Exchange&) {}
  result_type finish(collection<T>& part, std::vector<std::pair<from_type, V>>&& received) {
    result_type values;
    for (auto& [from, value] : received)
      values.emplace_hint(values.end(), part.where(from), std::move(value));
    return values;
  }
};

/// Each member gives a value to each.
template <class T, class V>
struct dense_pattern {
  using from_type = std::uint64_t;
  using value_type = V;
  using given_type = std::vector<V>;
  using result_type = std::vector<V>;

  template <class Exchange>
  void send(Exchange& to, const from_type& from, given_type&& given) {
    if (pes_.empty())
      for (std::uint64_t k = 0; k < given.size(); ++k) pes_.push_back(to.part().place_of(k));
    for (std::uint64_t k = 0; k < given.size(); ++k) to.send(from, k, std::move(given[k]), pes_[k]);
  }
  template <class Exchange>
  void flush(Exchange&) {}
  result_type finish(collection<T>&, std::vector<std::pair<from_type, V>>&& received) {
    result_type values;
    values.reserve(received.size());
    for (auto& [from, value] : received) values.push_back(std::move(value));
    return values;
  }

 private:
  std::vector<int> pes_;  ///< where each member is believed to be
};

/// One member gives a value to each.
template <class T, class V>
struct scatter_pattern : dense_pattern<T, V> {
  using result_type = V;

  result_type finish(collection<T>&, std::vector<std::pair<std::uint64_t, V>>&& received) {
    return std::move(received.at(0).second);
  }
};

/// Each member gives a value for each; a PE combines those of its members before it sends them.
template <class T, class V, class Op>
struct combining_pattern {
  using from_type = int;  ///< a PE
  using value_type = V;
  using given_type = std::vector<V>;
  using result_type = V;

  template <class Exchange>
  void send(Exchange&, std::uint64_t from, given_type&& given) {
    given_.add(from, std::move(given));
  }
  template <class Exchange>
  void flush(Exchange& to) {
    std::optional<given_type> all;
    std::exchange(given_, {}).visit([&](std::uint64_t, given_type&& values) {
      if (!all) {
        all.emplace(std::move(values));
        return;
      }
      for (std::size_t i = 0; i < values.size(); ++i)
        (*all)[i] = combined(Op{}, std::move((*all)[i]), std::move(values[i]));
    });
    if (!all) return;
    for (std::uint64_t k = 0; k < all->size(); ++k) to.send(to.part().pe().pe(), k, std::move((*all)[k]));
  }
  result_type finish(collection<T>&, std::vector<std::pair<from_type, V>>&& received) {
    V all = std::move(received.at(0).second);
    for (std::size_t i = 1; i < received.size(); ++i)
      all = combined(Op{}, std::move(all), std::move(received[i].second));
    return all;
  }

 private:
  keyed_values<given_type, std::uint64_t> given_;
};

}  // namespace detail

/// Gives a value to each member that `values` names, and returns what others gave to this one, by their indices. Nobody
/// needs to know who gives something to whom. Throws imbrex::error for an index outside of the array's shape. A value for a
/// member that has been destroyed makes all members' results exceptions.
template <class T, class Index, class V>
pending<std::map<Index, V>> exchange(chare<T, Index>& member, std::map<Index, V> values) {
  auto& self = detail::derived_of(member);
  std::vector<std::pair<detail::key_type<Index>, V>> given;
  given.reserve(values.size());
  for (auto& [to, value] : values) {
    if constexpr (detail::is_index<Index>) {
      const auto shape = detail::part_of_chare(self).shape_for_proxy();
      if (!contains(shape, to))
        detail::throw_no_member("exchange", detail::element_memory<T>::of(self), to_string(to),
                                to_string(shape));
      given.emplace_back(detail::linear(shape, to), std::move(value));
    } else {
      given.emplace_back(to, std::move(value));
    }
  }
  return detail::join_exchange<detail::sparse_pattern<T, V>>(self, "the result of exchange",
                                                             std::move(given));
}

/// Gives the i-th value to the i-th member of a dense array or a group, and returns what all members gave to this one, in
/// their order. Throws imbrex::error if there is not one value for each member, and in a sparse array.
template <class T, class Index, class V>
pending<std::vector<V>> all_to_all(chare<T, Index>& member, std::vector<V> values) {
  auto& self = detail::derived_of(member);
  detail::check_count("all_to_all", self, values.size());
  return detail::join_exchange<detail::dense_pattern<T, V>>(self, "the result of all_to_all",
                                                            std::move(values));
}

/// Gives the i-th value of the member with the index `root` to the i-th member of a dense array or a group; what others
/// pass is left unread. Throws imbrex::error at the root if it has not one value for each member, and in a sparse array.
template <class T, class Index, class V>
pending<V> scatter(chare<T, Index>& member, const Index& root, std::vector<V> values) {
  auto& self = detail::derived_of(member);
  const bool is_root = self.where() == root;
  const auto shape = detail::part_of_chare(self).shape_for_proxy();
  if (!contains(shape, root))
    detail::throw_no_member("scatter", detail::element_memory<T>::of(self), to_string(root),
                            to_string(shape));
  if (is_root) detail::check_count("scatter", self, values.size());
  return detail::join_exchange<detail::scatter_pattern<T, V>>(self, "the result of scatter",
                                                              is_root ? std::move(values) : std::vector<V>());
}

/// Combines the i-th values of all members of a dense array or a group for the i-th member, in the order of keys within a
/// PE, then of PEs. Throws imbrex::error if there is not one value for each member, and in a sparse array.
template <class T, class Index, class V, class Op>
pending<V> reduce_scatter(chare<T, Index>& member, std::vector<V> values, Op) {
  auto& self = detail::derived_of(member);
  if constexpr (!detail::operation_fits<Op, V>()) {
    return pending<V>("nothing");
  } else {
    detail::check_count("reduce_scatter", self, values.size());
    return detail::join_exchange<detail::combining_pattern<T, V, Op>>(self, "the result of reduce_scatter",
                                                                      std::move(values));
  }
}

/// Combines the values of all members up to this one, in the order of their indices (keys). The brackets depend on which
/// members are on one PE.
template <class T, class Index, class V, class Op>
pending<V> scan(chare<T, Index>& member, V value, Op) {
  if constexpr (!detail::operation_fits<Op, V>())
    return pending<V>("nothing");
  else
    return detail::join_scan<Op, true>(detail::derived_of(member), std::move(value));
}

/// The same without this member's own value: none for the first.
template <class T, class Index, class V, class Op>
pending<std::optional<V>> exclusive_scan(chare<T, Index>& member, V value, Op) {
  if constexpr (!detail::operation_fits<Op, V>())
    return pending<std::optional<V>>("nothing");
  else
    return detail::join_scan<Op, false>(detail::derived_of(member), std::move(value));
}

}  // namespace imbrex
