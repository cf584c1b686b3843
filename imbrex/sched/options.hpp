// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/base/options/option_table.hpp>
#include <imbrex/sched/settings.hpp>

namespace imbrex {

namespace detail {

thread_settings::binding parse_binding(const given_option& given);
completion_method parse_completion(const given_option& given);
polling_interval parse_polling(const given_option& given);
/// Throws usage_error for an interval that no option gives.
void check_polling(const polling_interval& poll);

}  // namespace detail

/// The options of the PEs' threads.
template <class Settings>
std::vector<option<Settings>> thread_options() {
  return {
      {.words = {"--bind", "none|core", "whether each PE's thread stays on one core; none unless given"},
       .set = [](Settings& s, const given_option& given) { s.bind = detail::parse_binding(given); }},
      {.words = {"--comm-thread", "",
                 "let one more thread of each process drive its network, for all its PEs"},
       .set = [](Settings& s, const given_option&) { s.comm_thread = true; }},
  };
}

/// The options of device completions.
template <class Settings>
std::vector<option<Settings>> completion_options() {
  return {
      {.words = {"--completion", "METHOD",
                 "how a PE learns that its device is done: poll (default), callback, flag, sync, "
                 "poll-user or work-request"},
       .set =
           [](Settings& s, const given_option& given) {
             s.completion = detail::parse_completion(given);
             s.device_words = text_of(given);
           }},
      {.words = {"--completion-poll", "P",
                 "how often a busy PE asks: adaptive (default), a number of turns, or a time"},
       .set =
           [](Settings& s, const given_option& given) {
             s.poll = detail::parse_polling(given);
             s.device_words = text_of(given);
           },
       .check = [](const Settings& s) { detail::check_polling(s.poll); }},
  };
}

}  // namespace imbrex
