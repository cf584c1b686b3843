// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <type_traits>

#include <imbrex/serial/archive.hpp>

namespace imbrex {

template <class T, class Allocator>
struct serializer<std::forward_list<T, Allocator>> {
  static void serialize(auto& ar, std::forward_list<T, Allocator>& value) {
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) {
      const std::size_t count = detail::read_count(ar, 1);
      value.clear();
      auto last = value.before_begin();
      for (std::size_t i = 0; i < count; ++i) {
        last = value.emplace_after(last);
        detail::process_element(ar, *last);
      }
    } else {
      ar(static_cast<std::uint64_t>(std::distance(value.begin(), value.end())));
      for (const auto& element : value) detail::process_element(ar, element);
    }
  }
};

}  // namespace imbrex
