// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/options/option_table.hpp>
#include <imbrex/trace/settings.hpp>

namespace imbrex {

namespace detail {

std::string parse_trace(const given_option& given);
std::uint64_t parse_trace_buffer(const given_option& given);
/// True for `wait`.
bool parse_trace_full(const given_option& given);
/// Throws usage_error for a number of bytes that no option gives.
void check_trace_buffer(std::uint64_t bytes);
/// Throws usage_error for an option of recording if no file is named.
void check_trace_named(std::string_view file, const given_option& given);

}  // namespace detail

/// The options of recording.
template <class Settings>
std::vector<option<Settings>> trace_options() {
  constexpr auto is_traced = [](const Settings& s, const given_option& given) {
    detail::check_trace_named(s.trace, given);
  };
  return {
      {.words = {"--trace", "FILE",
                 "record what the PEs, messages and devices do, for imbrex trace report FILE"},
       .set = [](Settings& s, const given_option& given) { s.trace = detail::parse_trace(given); }},
      {.words = {"--trace-buffer", "SIZE",
                 "memory for the records of each PE until they are on disk; 8MB unless given"},
       .set = [](Settings& s,
                 const given_option& given) { s.trace_buffer = detail::parse_trace_buffer(given); },
       .check = [](const Settings& s) { detail::check_trace_buffer(s.trace_buffer); },
       .check_given = is_traced},
      {.words = {"--trace-full", "WHAT",
                 "when it is full: drop (default), leave records out and count them, or wait"},
       .set = [](Settings& s, const given_option& given) { s.trace_waits = detail::parse_trace_full(given); },
       .check_given = is_traced},
      {.words = {"--trace-paused", "", "record only from trace::start() on"},
       .set = [](Settings& s, const given_option&) { s.trace_paused = true; },
       .check_given = is_traced},
  };
}

}  // namespace imbrex
