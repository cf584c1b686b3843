// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/core/name/index.hpp>
#include <imbrex/core/name/indices.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/grid/field.hpp>
#include <imbrex/io/hdf5.hpp>

namespace imbrex {

/// The cells of a block without ghosts and padding, the last dimension fastest. It is for chares that keep
/// their cells in another form than a `grid::field`, and return them from a member function.
template <class T, int N>
struct packed_cells {
  index<N> extents{};
  std::vector<T> values{};

  void serialize(auto& ar) { ar(extents, values); }
};

namespace io::detail {

/// The numbers of a value: its own, or those of a std::array, which are a further dimension of the data set.
template <class V>
struct numbers_of_value {
  using number = V;
  static constexpr std::size_t count = 1;
  static constexpr bool is_array = false;
};
template <class V, std::size_t N>
struct numbers_of_value<std::array<V, N>> {
  using number = V;
  static constexpr std::size_t count = N;
  static constexpr bool is_array = true;
};

/// The access to the numbers of a member: `dimensions`, `extents`, `pack`; `unpack` if it can take numbers.
template <class M>
struct member_numbers {
  static constexpr bool exist = false;
};

template <class V, int N>
struct member_numbers<grid::field<V, N>> {
  static constexpr bool exist = true;
  static constexpr bool is_field = true;
  static constexpr int dimensions = N;
  using value = V;

  static std::array<std::uint64_t, N> extents(const grid::field<V, N>& of) {
    std::array<std::uint64_t, N> all{};
    for (int d = 0; d < N; ++d) all[static_cast<std::size_t>(d)] = static_cast<std::uint64_t>(of.extent(d));
    return all;
  }
  static void pack(const grid::field<V, N>& from, std::byte* to) {
    for_rows(from, [&](const V* row, std::size_t bytes) {
      std::memcpy(to, row, bytes);
      to += bytes;
    });
  }
  static void unpack(grid::field<V, N>& to, const std::byte* from) {
    for_rows(to, [&](V* row, std::size_t bytes) {
      std::memcpy(row, from, bytes);
      from += bytes;
    });
  }

 private:
  template <class Field, class Function>
  static void for_rows(Field& of, Function function) {
    index<N> rows = of.extents();
    const std::size_t bytes = static_cast<std::size_t>(rows[N - 1]) * sizeof(V);
    if (of.empty()) return;
    rows[N - 1] = 1;
    for (const index<N>& first : indices(rows)) function(&of[first], bytes);
  }
};

template <class V, int N>
struct member_numbers<packed_cells<V, N>> {
  static constexpr bool exist = true;
  static constexpr bool is_field = true;
  static constexpr int dimensions = N;
  using value = V;

  static std::array<std::uint64_t, N> extents(const packed_cells<V, N>& of) {
    std::array<std::uint64_t, N> all{};
    for (int d = 0; d < N; ++d) all[static_cast<std::size_t>(d)] = static_cast<std::uint64_t>(of.extents[d]);
    return all;
  }
  static void pack(const packed_cells<V, N>& from, std::byte* to) {
    std::memcpy(to, from.values.data(), from.values.size() * sizeof(V));
  }
  static void unpack(packed_cells<V, N>& to, const std::byte* from) {
    to.values.resize(indices(to.extents).size());
    std::memcpy(to.values.data(), from, to.values.size() * sizeof(V));
  }
};

template <class V, class Allocator>
struct member_numbers<std::vector<V, Allocator>> {
  static constexpr bool exist = true;
  static constexpr bool is_field = false;
  static constexpr int dimensions = 1;
  using value = V;

  static std::array<std::uint64_t, 1> extents(const std::vector<V, Allocator>& of) { return {of.size()}; }
  static void pack(const std::vector<V, Allocator>& from, std::byte* to) {
    if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(V));
  }
};

/// The type of a member, or of the result of a member function, which may be a task's.
template <class R>
struct awaited {
  using type = R;
};
template <class R>
struct awaited<task<R>> {
  using type = R;
};
template <class T, auto M>
using declared_member = std::remove_cvref_t<decltype(std::invoke(M, std::declval<T&>()))>;
template <class T, auto M>
using member_of = typename awaited<declared_member<T, M>>::type;
/// True of member functions that return a task.
template <class T, auto M>
inline constexpr bool is_awaited = !std::is_same_v<member_of<T, M>, declared_member<T, M>>;

template <class T, auto M>
consteval bool has_numbers() {
  constexpr bool can_be_called = std::is_invocable_v<decltype(M), T&>;
  static_assert(
      can_be_called,
      "imbrex: what is written is a data member of the chares, or a member function without parameters");
  if constexpr (can_be_called) {
    constexpr bool exist = member_numbers<member_of<T, M>>::exist;
    static_assert(
        exist,
        "imbrex: files take grid::field, packed_cells and std::vector of numbers, or of std::array of "
        "numbers");
    return exist;
  } else {
    return false;
  }
}

}  // namespace io::detail
}  // namespace imbrex
