// SPDX-License-Identifier: Apache-2.0
#pragma once
// Engines and distributions of <random>, as the text that the standard library writes. The sequence after
// reading continues as it would have in the writer.

#include <locale>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>

#include <imbrex/serial/archive.hpp>

namespace imbrex {
namespace detail {

template <class T>
concept random_engine = requires(T& engine) {
  typename T::result_type;
  T::min();
  T::max();
  engine();
  engine.seed();
  engine.discard(1);
};

template <class T>
concept random_distribution = requires(T& distribution) {
  typename T::result_type;
  typename T::param_type;
  distribution.param();
  distribution.reset();
};

}  // namespace detail

template <class T>
  requires detail::random_engine<T> || detail::random_distribution<T>
struct serializer<T> {
  static void serialize(auto& ar, T& value) {
    std::string text;
    if constexpr (std::remove_reference_t<decltype(ar)>::reading) {
      ar(text);
      std::istringstream in(text);
      in.imbue(std::locale::classic());
      in >> value;
      if (in.fail())
        throw serial_error("malformed message: not the state of a random engine or distribution");
    } else {
      std::ostringstream out;
      out.imbue(std::locale::classic());
      out << value;
      text = out.str();
      ar(text);
    }
  }
};

}  // namespace imbrex
