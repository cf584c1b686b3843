// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imbrex/base/standard/sort.hpp>
#include <imbrex/core/array/create.hpp>
#include <imbrex/core/array/exchange.hpp>

/// Collectives in which the value for each member of an array or group is different. As in all_reduce, each
/// member takes part, in the same order of calls and with the same types. The call takes the values; the
/// result is awaited: `const double before = co_await imbrex::scan(*this, own_value, imbrex::sum);`.
/// Members are in the order of their indices (keys). Between PEs, the values of all members go in one message
/// for each pair of PEs that exchange something. A tree of PEs detects that all values have been received.
/// Each collective throws imbrex::error in a constructor and in a single chare. An exception of an operation,
/// or of a value that cannot be packed, is thrown at all members.

namespace imbrex {
namespace detail {

/// "all_to_all: block(3) gave 5 values, and the array has 8 members: ..."
[[noreturn]] void throw_wrong_count(const char* what, const chare_header& element, std::size_t values,
                                    std::uint64_t members);
/// Throws imbrex::error: the array began empty, so its members have no numbers.
[[noreturn]] void throw_not_dense(const char* what, const chare_header& element);
[[noreturn]] void throw_no_member(const char* what, const chare_header& element, const std::string& index,
                                  const std::string& shape);

/// The chare class of an object, and the number of members of its array.
template <class Derived, class Index>
Derived& derived_of(chare<Derived, Index>& c) {
  return static_cast<Derived&>(c);
}
template <class T>
collection<T>& part_of_chare(T& chare) {
  return static_cast<collection<T>&>(*element_memory<T>::of(chare).home);
}
/// Checks that there is one value for each member. The array must number its members: a dense array or a
/// group.
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

/// Each member gives values to some members, and receives values, as containers of pairs of an index and a
/// value.
template <class T, class V, class Container>
class sparse_pattern {
 public:
  static constexpr bool is_dense = false;
  using key = key_type<typename T::index_type>;
  using from_type = key;
  using value_type = V;
  using result_type = Container;

  struct member : exchange_member {
    std::size_t number;
    std::size_t received = 0;

    member(collection<T>&, std::size_t n) : number(n) {}
  };
  struct outgoing_value {
    key from;
    key to;
    V value;
  };

  void add(collection<T>& part, const key& from, Container&& values) {
    for (auto& [to, value] : values) {
      if constexpr (is_index<typename T::index_type>)
        outgoing_.push_back({from, linear(part.shape_for_proxy(), to), std::move(value)});
      else
        outgoing_.push_back({from, to, std::move(value)});
    }
  }
  std::vector<outgoing_value> take_outgoing() { return std::exchange(outgoing_, {}); }

  void put(member& to, const key& from, V&& value) {
    ++to.received;
    received_.push_back({to.number, from, std::move(value)});
  }
  result_type finish(collection<T>& part, const member& who) {
    result_type values;
    if (who.received == 0) return values;
    if (!is_sorted_) sort();
    if constexpr (requires { values.reserve(1); }) values.reserve(who.received);
    for (std::size_t i = ends_[who.number] - who.received; i < ends_[who.number]; ++i) {
      auto& r = received_[places_[i]];
      values.insert(values.end(), {part.where(r.from), std::move(r.value)});
    }
    return values;
  }

 private:
  struct received_value {
    std::size_t to;
    key from;
    V value;
  };

  /// Sorts by receiver, then by sender; values of one sender keep their order.
  void sort() {
    is_sorted_ = true;
    for (const auto& r : received_) {
      if (r.to >= ends_.size()) ends_.resize(r.to + 1);
      ++ends_[r.to];
    }
    std::size_t end = 0;
    for (auto& e : ends_) e = std::exchange(end, end + e);
    places_.resize(received_.size());
    for (std::size_t i = 0; i < received_.size(); ++i) places_[ends_[received_[i].to]++] = i;
    std::size_t first = 0;
    for (const std::size_t last : ends_) {
      sort_senders(first, last);
      first = last;
    }
  }
  void sort_senders(std::size_t first, std::size_t last) {
    const auto before = [&](std::size_t a, std::size_t b) {
      const auto &from_a = received_[a].from, &from_b = received_[b].from;
      return key_less(from_a, from_b) || (a < b && !key_less(from_b, from_a));
    };
    const auto begin = places_.begin();
    std::sort(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last), before);
  }

  std::vector<outgoing_value> outgoing_;  ///< not sent yet
  std::vector<received_value> received_;
  std::vector<std::size_t> places_;  ///< indices in `received_`, sorted
  std::vector<std::size_t>
      ends_;  ///< end indices in `places_` by member number; trailing members without values may be missing
  bool is_sorted_ = false;
};

/// Each member gives a vector with a value for each member, or an empty vector.
template <class T, class V>
class row_pattern {
 public:
  static constexpr bool is_dense = true;
  using value_type = V;
  using row = std::pair<std::uint64_t, std::vector<V>>;

  void add(collection<T>&, std::uint64_t from, std::vector<V>&& values) {
    if (!values.empty()) outgoing_.emplace_back(from, std::move(values));
  }

 protected:
  std::vector<row> take_outgoing() { return std::exchange(outgoing_, {}); }

 private:
  std::vector<row> outgoing_;  ///< not sent yet
};

/// Each member gives a value to each member.
template <class T, class V>
class dense_pattern : public row_pattern<T, V> {
 public:
  using from_type = std::uint64_t;
  using result_type = std::vector<V>;
  using row = typename row_pattern<T, V>::row;

  struct member : exchange_member {
    std::vector<V> values;  ///< by sender

    member(collection<T>& part, std::size_t)
        : values(static_cast<std::size_t>(volume(part.shape_for_proxy()))) {}
  };

  std::vector<row> take_rows(collection<T>&) { return this->take_outgoing(); }
  void put(member& to, std::uint64_t from, V&& value) {
    to.values.at(static_cast<std::size_t>(from)) = std::move(value);
  }
  result_type finish(collection<T>&, member& who) { return std::move(who.values); }
};

/// One member gives a value to each member.
template <class T, class V>
class scatter_pattern : public row_pattern<T, V> {
 public:
  using from_type = std::uint64_t;
  using result_type = V;
  using row = typename row_pattern<T, V>::row;

  struct member : exchange_member {
    std::optional<V> value;

    member(collection<T>&, std::size_t) {}
  };

  std::vector<row> take_rows(collection<T>&) { return this->take_outgoing(); }
  void put(member& to, std::uint64_t, V&& value) { to.value.emplace(std::move(value)); }
  result_type finish(collection<T>&, member& who) { return std::move(who.value.value()); }
};

/// Each member gives a value for each member; a PE combines the values of its members before sending.
template <class T, class V, class Op>
class combining_pattern : public row_pattern<T, V> {
 public:
  using from_type = int;  ///< a PE
  using result_type = V;

  struct member : exchange_member {
    std::vector<std::pair<int, V>> values;

    member(collection<T>&, std::size_t) {}
  };

  std::vector<std::pair<int, std::vector<V>>> take_rows(collection<T>& part) {
    auto values = this->take_outgoing();
    if (values.empty()) return {};
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<V> all = std::move(values.front().second);
    for (std::size_t m = 1; m < values.size(); ++m)
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = combined(Op{}, V(std::move(all[i])), V(std::move(values[m].second[i])));
    std::vector<std::pair<int, std::vector<V>>> row;
    row.emplace_back(part.pe().pe(), std::move(all));
    return row;
  }
  void put(member& to, int from, V&& value) { to.values.emplace_back(from, std::move(value)); }
  result_type finish(collection<T>&, member& who) {
    auto& values = who.values;
    std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    V all = std::move(values.at(0).second);
    for (std::size_t i = 1; i < values.size(); ++i)
      all = combined(Op{}, std::move(all), std::move(values[i].second));
    return all;
  }
};

template <class V, class T, class Container>
pending<Container> join_sparse_exchange(T& self, Container&& values) {
  if constexpr (is_index<typename T::index_type>) {
    const auto shape = part_of_chare(self).shape_for_proxy();
    for (const auto& [to, value] : values)
      if (!contains(shape, to))
        throw_no_member("exchange", element_memory<T>::of(self), to_string(to), to_string(shape));
  }
  return join_exchange<sparse_pattern<T, V, Container>>(self, "the result of exchange", std::move(values));
}

}  // namespace detail

/// Gives a value to each member that `values` names, and returns the values that others gave to this member,
/// by their indices. No member needs to know the pattern. Throws imbrex::error for an index outside of the
/// array's shape. If a value is for a destroyed member, the results of all members are exceptions.
template <class T, class Index, class V>
pending<std::map<Index, V>> exchange(chare<T, Index>& member, std::map<Index, V> values) {
  return detail::join_sparse_exchange<V>(detail::derived_of(member), std::move(values));
}
/// Exchanges pairs of an index and a value; an index may occur twice. The result is ordered by index; values
/// of one member keep the order in which they were given. Cheaper than the version with maps.
template <class T, class Index, class V>
pending<std::vector<std::pair<Index, V>>> exchange(chare<T, Index>& member,
                                                   std::vector<std::pair<Index, V>> values) {
  return detail::join_sparse_exchange<V>(detail::derived_of(member), std::move(values));
}

/// Gives the i-th value to the i-th member of a dense array or a group. Returns the values that all members
/// gave to this one, in the order of members. Throws imbrex::error unless there is one value for each member,
/// and in a sparse array.
template <class T, class Index, class V>
pending<std::vector<V>> all_to_all(chare<T, Index>& member, std::vector<V> values) {
  auto& self = detail::derived_of(member);
  detail::check_count("all_to_all", self, values.size());
  return detail::join_exchange<detail::dense_pattern<T, V>>(self, "the result of all_to_all",
                                                            std::move(values));
}

/// Gives the i-th value of the member with index `root` to the i-th member of a dense array or a group. The
/// values of other members are ignored. Throws imbrex::error at the root unless it has one value for each
/// member, and in a sparse array.
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

/// Combines the i-th values of all members of a dense array or a group for the i-th member. The order is that
/// of keys within a PE, then of PEs. Throws imbrex::error unless there is one value for each member, and in a
/// sparse array.
template <class T, class Index, class V, class Op>
pending<V> reduce_scatter(chare<T, Index>& member, std::vector<V> values, Op) {
  auto& self = detail::derived_of(member);
  if constexpr (!detail::order_free_operation_fits<Op, V>()) {
    return pending<V>("nothing");
  } else {
    detail::check_count("reduce_scatter", self, values.size());
    return detail::join_exchange<detail::combining_pattern<T, V, Op>>(self, "the result of reduce_scatter",
                                                                      std::move(values));
  }
}

/// Combines the values of all members up to and including this one, in the order of their indices (keys). The
/// bracketing depends on the members of each PE.
template <class T, class Index, class V, class Op>
pending<V> scan(chare<T, Index>& member, V value, Op) {
  if constexpr (!detail::order_free_operation_fits<Op, V>())
    return pending<V>("nothing");
  else
    return detail::join_scan<Op, true>(detail::derived_of(member), std::move(value));
}

/// Combines the values of all members before this one; empty for the first member.
template <class T, class Index, class V, class Op>
pending<std::optional<V>> exclusive_scan(chare<T, Index>& member, V value, Op) {
  if constexpr (!detail::order_free_operation_fits<Op, V>())
    return pending<std::optional<V>>("nothing");
  else
    return detail::join_scan<Op, false>(detail::derived_of(member), std::move(value));
}

}  // namespace imbrex
