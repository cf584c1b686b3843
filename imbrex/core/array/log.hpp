// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <imbrex/base/log.hpp>
#include <imbrex/core/array/chare.hpp>

namespace imbrex {
namespace detail {

void log_of(const chare_header& from, log_level level, std::string_view text);

}  // namespace detail

/// Writes a line to standard error that begins with the chare and its PE, unless lines of that level are
/// dropped: `imbrex::log(*this, imbrex::log_level::info, "converged")` writes "imbrex: block(1, 2) on PE 3:
/// converged". `--log LEVEL` selects the levels; the default is `error` and `warning`. A line is written as a
/// whole.
template <class Derived, class Index>
void log(const chare<Derived, Index>& from, log_level level, std::string_view text) {
  if (level <= current_log_level()) detail::log_of(detail::header_of(from), level, text);
}

}  // namespace imbrex
