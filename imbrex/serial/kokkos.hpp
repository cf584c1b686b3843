// SPDX-License-Identifier: Apache-2.0
#pragma once
// Views of Kokkos in messages and files. The elements are sent, and arrive in a view with its own memory. A
// program that includes this header has Kokkos, and initialises it.

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <imbrex/serial/archive.hpp>

namespace imbrex {
namespace detail {

template <class View>
struct kokkos_serializer {
  using element = typename View::non_const_value_type;
  using layout = typename View::array_layout;
  static constexpr unsigned rank = View::rank;

  static_assert(!std::is_const_v<typename View::value_type>,
                "imbrex: a view of constant elements cannot be received: send one of elements that are not");
  static_assert(
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename View::memory_space>::accessible,
      "imbrex: the host cannot read this view's memory: send a mirror of it (Kokkos::create_mirror_view)");
  static_assert(
      std::is_same_v<layout, Kokkos::LayoutLeft> || std::is_same_v<layout, Kokkos::LayoutRight>,
      "imbrex: a view with strides of its own has no memory of its own: copy it by Kokkos::deep_copy");

  static void serialize(auto& ar, View& value) {
    bool is_there = value.data() != nullptr;
    std::string label = is_there ? value.label() : std::string();
    ar(is_there, label);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) {
      if (!is_there) {
        value = View();
        return;
      }
      value = View(label, read_extents(ar));
      process_elements(ar, value);
    } else if (is_there) {
      for (unsigned d = 0; d < rank; ++d) ar(static_cast<std::uint64_t>(value.extent(d)));
      process_elements(ar, whole(value));
    }
  }

 private:
  /// View of equal elements in one piece of memory: `value` itself, or a copy.
  static View whole(const View& value) {
    if (value.span_is_contiguous()) return value;
    View copy(value.label(), layout_of([&](unsigned d) { return value.extent(d); }));
    Kokkos::deep_copy(copy, value);
    return copy;
  }
  template <class Extent>
  static layout layout_of(const Extent& extent) {
    layout all;
    for (unsigned d = 0; d < View::rank_dynamic; ++d) all.dimension[d] = extent(d);
    return all;
  }
  static layout read_extents(reader& in) {
    std::uint64_t extents[rank + 1] = {};
    std::uint64_t elements = 1;
    bool is_possible = true;
    for (unsigned d = 0; d < rank; ++d) {
      in(extents[d]);
      if (d >= View::rank_dynamic && extents[d] != View::static_extent(d)) is_possible = false;
      if (__builtin_mul_overflow(elements, extents[d], &elements)) is_possible = false;
    }
    if (!is_possible || elements > in.remaining() / (bitwise<element> ? sizeof(element) : 1))
      throw serial_error("malformed message: the extents of a view of Kokkos are not those of its elements");
    return layout_of([&](unsigned d) { return static_cast<std::size_t>(extents[d]); });
  }
  static void process_elements(auto& ar, const View& value) {
    if constexpr (bitwise<element>) {
      ar.bytes(value.data(), value.size() * sizeof(element));
    } else {
      for (std::size_t i = 0; i < value.size(); ++i) process_element(ar, value.data()[i]);
    }
  }
};

}  // namespace detail

template <class Elements, class... Properties>
struct serializer<Kokkos::View<Elements, Properties...>>
    : detail::kokkos_serializer<Kokkos::View<Elements, Properties...>> {};

}  // namespace imbrex
