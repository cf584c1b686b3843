// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/cells/domain.hpp>

namespace imbrex::cells {

/// A type with a member `auto columns() { return std::tie(position[0], position[1], velocity[0], ...); }`:
/// cells keep each of these in an array of its own.
template <class T>
concept has_columns = requires(T& e) { std::tuple_size<decltype(e.columns())>::value; };

/// An element of a cell set: any type that serialises, with a member `point<D> position`. Errors call it by
/// its member `id`, if it has one. If it has columns, the first D are the position.
template <class T, int D>
concept element = requires(T& e) {
  requires std::is_same_v<decltype(e.position), point<D>>;
  T(std::move(e));
};

namespace detail {

template <class T>
struct storage_of {
  using type = std::vector<T>;
};
template <class Tuple>
struct columns_of;
template <class... C>
struct columns_of<std::tuple<C&...>> {
  using type = std::tuple<std::vector<C>...>;
};
template <has_columns T>
struct storage_of<T> {
  using type = typename columns_of<decltype(std::declval<T&>().columns())>::type;
};

template <class T>
std::string name_of(const T& e, std::size_t place) {
  if constexpr (requires { std::to_string(e.id); })
    return "element " + std::to_string(e.id);
  else
    return "element number " + std::to_string(place);
}

}  // namespace detail

/// The elements of one cell, as a row of them, or, of a type with columns, as an array for each column. Also
/// what an accumulator has for them.
template <class T>
class cell {
  static constexpr bool in_columns = has_columns<T>;

 public:
  using value_type = T;

  std::size_t size() const {
    if constexpr (in_columns)
      return std::get<0>(elements_).size();
    else
      return elements_.size();
  }
  bool empty() const { return size() == 0; }

  T& operator[](std::size_t i)
    requires(!in_columns)
  {
    return elements_[i];
  }
  const T& operator[](std::size_t i) const
    requires(!in_columns)
  {
    return elements_[i];
  }
  auto begin()
    requires(!in_columns)
  {
    return elements_.begin();
  }
  auto begin() const
    requires(!in_columns)
  {
    return elements_.begin();
  }
  auto end()
    requires(!in_columns)
  {
    return elements_.end();
  }
  auto end() const
    requires(!in_columns)
  {
    return elements_.end();
  }

  /// One column of all elements.
  template <std::size_t C>
  auto column()
    requires in_columns
  {
    return std::span(std::get<C>(elements_));
  }
  template <std::size_t C>
  auto column() const
    requires in_columns
  {
    return std::span(std::get<C>(elements_));
  }

  /// A copy.
  T get(std::size_t i) const {
    if constexpr (in_columns) {
      T e{};
      set_columns(e, i, std::make_index_sequence<std::tuple_size_v<decltype(elements_)>>());
      return e;
    } else {
      return elements_[i];
    }
  }
  void set(std::size_t i, T e) {
    if constexpr (in_columns)
      take_columns(e, i, std::make_index_sequence<std::tuple_size_v<decltype(elements_)>>());
    else
      elements_[i] = std::move(e);
  }

  /// Its place among the cells of the block, or of the halo; with `is_own` it is one of a kind.
  std::size_t number() const { return number_; }
  /// False for a copy of another block's cell, and for the image of an own one.
  bool is_own() const { return is_own_; }

  // For whoever keeps the cells.

  void be(std::size_t number, bool is_own) {
    number_ = number;
    is_own_ = is_own;
  }
  void push(T&& e) {
    if constexpr (in_columns)
      push_columns(e, std::make_index_sequence<std::tuple_size_v<decltype(elements_)>>());
    else
      elements_.push_back(std::move(e));
  }
  /// The element goes to another place.
  void shift(std::size_t from, std::size_t to) {
    if constexpr (in_columns)
      std::apply([&](auto&... column) { ((column[to] = column[from]), ...); }, elements_);
    else
      elements_[to] = std::move(elements_[from]);
  }
  void assign(std::size_t n, const T& value) {
    if constexpr (in_columns) {
      T copy = value;
      assign_columns(n, copy, std::make_index_sequence<std::tuple_size_v<decltype(elements_)>>());
    } else {
      elements_.assign(n, value);
    }
  }
  void clear() { truncate(0); }
  /// Only the first n are left.
  void truncate(std::size_t n) {
    if constexpr (in_columns)
      std::apply([&](auto&... column) { (column.resize(n), ...); }, elements_);
    else
      elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(n), elements_.end());
  }

  template <int D>
  point<D> position(std::size_t i) const {
    if constexpr (in_columns)
      return [&]<std::size_t... C>(std::index_sequence<C...>) {
        return point<D>{std::get<C>(elements_)[i]...};
      }(std::make_index_sequence<static_cast<std::size_t>(D)>());
    else
      return elements_[i].position;
  }
  template <int D>
  void place(std::size_t i, const point<D>& at) {
    if constexpr (in_columns)
      [&]<std::size_t... C>(std::index_sequence<C...>) {
        ((std::get<C>(elements_)[i] = at[C]), ...);
      }(std::make_index_sequence<static_cast<std::size_t>(D)>());
    else
      elements_[i].position = at;
  }

  void serialize(auto& ar) { ar(elements_, number_, is_own_); }

 private:
  template <std::size_t... C>
  void set_columns(T& e, std::size_t i, std::index_sequence<C...>) const {
    auto columns = e.columns();
    ((std::get<C>(columns) = std::get<C>(elements_)[i]), ...);
  }
  template <std::size_t... C>
  void take_columns(T& e, std::size_t i, std::index_sequence<C...>) {
    auto columns = e.columns();
    ((std::get<C>(elements_)[i] = std::get<C>(columns)), ...);
  }
  template <std::size_t... C>
  void push_columns(T& e, std::index_sequence<C...>) {
    auto columns = e.columns();
    (std::get<C>(elements_).push_back(std::get<C>(columns)), ...);
  }
  template <std::size_t... C>
  void assign_columns(std::size_t n, T& e, std::index_sequence<C...>) {
    auto columns = e.columns();
    (std::get<C>(elements_).assign(n, std::get<C>(columns)), ...);
  }

  typename detail::storage_of<T>::type elements_;
  std::size_t number_ = 0;
  bool is_own_ = true;
};

}  // namespace imbrex::cells
