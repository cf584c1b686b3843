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

#include <imbrex/cells/column_store.hpp>
#include <imbrex/cells/domain.hpp>

namespace imbrex::cells {

/// A type with a member `auto columns() { return std::tie(position[0], position[1], velocity[0], ...); }`.
/// Cells keep each of these columns in an array of its own.
template <class T>
concept has_columns = requires(T& e) { std::tuple_size<decltype(e.columns())>::value; };

/// An element of a cell set: any type that serialises, with a member `point<D> position`. Errors name it by
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
  using type = column_store<C...>;
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

/// Elements of one cell: contiguous elements or, for a type with columns, one array per column. An
/// accumulator's values for a cell are also of this type.
template <class T>
class cell {
  static constexpr bool in_columns = has_columns<T>;

 public:
  using value_type = T;

  std::size_t size() const { return elements_.size(); }
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
    return std::span(elements_.template data<C>(), size());
  }
  template <std::size_t C>
  auto column() const
    requires in_columns
  {
    return std::span(elements_.template data<C>(), size());
  }

  /// Copy of an element.
  T get(std::size_t i) const {
    if constexpr (in_columns) {
      T e{};
      set_columns(e, i, every_column());
      return e;
    } else {
      return elements_[i];
    }
  }
  /// Replaces element i, which keeps its place among the others.
  void set(std::size_t i, T e) {
    if constexpr (in_columns)
      std::apply([&](const auto&... value) { elements_.set(i, value...); }, e.columns());
    else
      elements_[i] = std::move(e);
  }

  /// Index of the cell among the block's own cells or among those of the halo. Together with `is_own` it is
  /// unique.
  std::size_t number() const { return number_; }
  /// False for a copy of another block's cell, and for the image of an own cell.
  bool is_own() const { return is_own_; }

  // Functions for the owner of the cells.

  /// For cell_set: gives the cell its number, and says whether the block owns it.
  void be(std::size_t number, bool is_own) {
    number_ = number;
    is_own_ = is_own;
  }
  /// Appends an element.
  void push(T&& e) {
    if constexpr (in_columns)
      std::apply([&](const auto&... value) { elements_.push(value...); }, e.columns());
    else
      elements_.push_back(std::move(e));
  }
  /// Moves an element to another index.
  void shift(std::size_t from, std::size_t to) {
    if constexpr (in_columns)
      elements_.shift(from, to);
    else
      elements_[to] = std::move(elements_[from]);
  }
  /// Makes n elements of this value.
  void assign(std::size_t n, const T& value) {
    if constexpr (in_columns) {
      T copy = value;
      std::apply([&](const auto&... each) { elements_.assign(n, each...); }, copy.columns());
    } else {
      elements_.assign(n, value);
    }
  }
  void clear() { truncate(0); }
  /// Keeps only the first n elements.
  void truncate(std::size_t n) {
    if constexpr (in_columns)
      elements_.truncate(n);
    else
      elements_.erase(elements_.begin() + static_cast<std::ptrdiff_t>(n), elements_.end());
  }

  /// Position of element i, as the class of elements has it.
  template <int D>
  point<D> position(std::size_t i) const {
    if constexpr (in_columns)
      return [&]<std::size_t... C>(std::index_sequence<C...>) {
        return point<D>{elements_.template data<C>()[i]...};
      }(std::make_index_sequence<static_cast<std::size_t>(D)>());
    else
      return elements_[i].position;
  }
  /// Sets the position of element i; the cell does not change.
  template <int D>
  void place(std::size_t i, const point<D>& at) {
    if constexpr (in_columns)
      [&]<std::size_t... C>(std::index_sequence<C...>) {
        ((elements_.template data<C>()[i] = at[C]), ...);
      }(std::make_index_sequence<static_cast<std::size_t>(D)>());
    else
      elements_[i].position = at;
  }

  void serialize(auto& ar) { ar(elements_, number_, is_own_); }

 private:
  static constexpr auto every_column() {
    if constexpr (in_columns) return std::make_index_sequence<detail::storage_of<T>::type::columns>();
  }
  template <std::size_t... C>
  void set_columns(T& e, std::size_t i, std::index_sequence<C...>) const {
    auto columns = e.columns();
    ((std::get<C>(columns) = elements_.template data<C>()[i]), ...);
  }

  typename detail::storage_of<T>::type elements_;
  std::size_t number_ = 0;
  bool is_own_ = true;
};

}  // namespace imbrex::cells
