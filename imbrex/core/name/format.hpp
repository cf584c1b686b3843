// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formatters of indices for fmt, with the format specifications of strings. Not part of <imbrex/imbrex.hpp>,
// which does not require fmt.

#include <fmt/format.h>

#include <imbrex/core/name/index.hpp>

template <int N>
struct fmt::formatter<imbrex::index<N>> : fmt::formatter<std::string> {
  template <class Context>
  auto format(const imbrex::index<N>& i, Context& context) const {
    return fmt::formatter<std::string>::format(to_string(i), context);
  }
};
