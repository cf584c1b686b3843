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

std::string parse_trace(const parsed_option& input);
std::uint64_t parse_trace_buffer(const parsed_option& input);
/// True for `wait`.
bool parse_trace_full(const parsed_option& input);
/// Throws usage_error for a number of bytes that no option gives.
void check_trace_buffer(std::uint64_t bytes);
/// Throws usage_error for an option of recording if no file is named.
void check_trace_named(std::string_view file, const parsed_option& input);

}  // namespace detail

/// The options of recording.
template <class Settings>
std::vector<option<Settings>> trace_options() {
  constexpr auto is_traced = [](const Settings& s, const parsed_option& input) {
    detail::check_trace_named(s.trace, input);
  };
  return {
      {.words = {"--trace", "FILE",
                 "record what the PEs, messages and devices do, for imbrex trace report FILE"},
       .set = [](Settings& s, const parsed_option& input) { s.trace = detail::parse_trace(input); }},
      {.words = {"--trace-buffer", "SIZE",
                 "memory for the records of each PE until they are on disk (default 8MB)"},
       .set = [](Settings& s,
                 const parsed_option& input) { s.trace_buffer.bytes = detail::parse_trace_buffer(input); },
       .check = [](const Settings& s) { detail::check_trace_buffer(s.trace_buffer.bytes); },
       .validate = is_traced},
      {.words = {"--trace-full", "WHAT",
                 "action when that memory is full: drop (default), omit records and count them, or wait"},
       .set = [](Settings& s,
                 const parsed_option& input) { s.trace_buffer.waits = detail::parse_trace_full(input); },
       .validate = is_traced},
      {.words = {"--trace-paused", "", "record only from trace::start() on"},
       .set = [](Settings& s, const parsed_option&) { s.trace_paused = true; },
       .validate = is_traced},
  };
}

}  // namespace imbrex
