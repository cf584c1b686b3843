// SPDX-License-Identifier: Apache-2.0
#pragma once
// std::stack, std::queue and std::priority_queue, by the container that they hold.

#include <queue>
#include <stack>
#include <type_traits>
#include <utility>

#include <imbrex/serial/archive.hpp>

namespace imbrex {
namespace detail {

template <class Adaptor>
typename Adaptor::container_type& container_of(Adaptor& adaptor) {
  struct accessor : Adaptor {
    static auto member() { return &accessor::c; }
  };
  return adaptor.*accessor::member();
}

}  // namespace detail

template <class T, class Container>
struct serializer<std::stack<T, Container>> {
  static void serialize(auto& ar, std::stack<T, Container>& value) { ar(detail::container_of(value)); }
};

template <class T, class Container>
struct serializer<std::queue<T, Container>> {
  static void serialize(auto& ar, std::queue<T, Container>& value) { ar(detail::container_of(value)); }
};

/// Reading into a value keeps the value's comparison.
template <class T, class Container, class Compare>
struct serializer<std::priority_queue<T, Container, Compare>> {
  static void serialize(auto& ar, std::priority_queue<T, Container, Compare>& value) {
    auto& elements = detail::container_of(value);
    ar(elements);
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) {
      // Bytes of unknown origin may not be a heap.
      Container read = std::exchange(elements, Container());
      for (auto& element : read) value.push(std::move(element));
    }
  }
};

}  // namespace imbrex
