// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <valarray>
#include <vector>

#include <imbrex/serial/archive.hpp>

namespace imbrex {

template <class T>
struct serializer<std::valarray<T>> {
  static void serialize(auto& ar, std::valarray<T>& value) {
    std::vector<T> elements;
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) {
      ar(elements);
      value.resize(elements.size());
      for (std::size_t i = 0; i < elements.size(); ++i) value[i] = elements[i];
    } else {
      elements.assign(std::begin(value), std::end(value));
      ar(elements);
    }
  }
};

}  // namespace imbrex
