// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/base/options/option_table.hpp>
#include <imbrex/sched/settings.hpp>

namespace imbrex {

namespace detail {

thread_settings::binding parse_binding(const parsed_option& input);
completion_method parse_completion(const parsed_option& input);
polling_interval parse_polling(const parsed_option& input);
/// Throws usage_error for an interval that no option gives.
void check_polling(const polling_interval& poll);

}  // namespace detail

/// The options of the PEs' threads.
template <class Settings>
std::vector<option<Settings>> thread_options() {
  return {
      {.words = {"--bind", "none|core",
                 "binding of PEs: none (default), or core, each PE's thread to a core"},
       .set = [](Settings& s, const parsed_option& input) { s.bind = detail::parse_binding(input); }},
      {.words = {"--comm-thread", "",
                 "drive the network of each process by an additional thread, for all its PEs"},
       .set = [](Settings& s, const parsed_option&) { s.comm_thread = true; }},
  };
}

/// The options of device completions.
template <class Settings>
std::vector<option<Settings>> completion_options() {
  return {
      {.words = {"--completion", "METHOD",
                 "method to detect completed device work: poll (default), callback, flag, sync, poll-user or "
                 "work-request"},
       .set =
           [](Settings& s, const parsed_option& input) {
             s.completion = detail::parse_completion(input);
             s.source.device_words = text_of(input);
           }},
      {.words =
           {"--completion-poll", "P",
            "interval at which a busy PE polls its device: adaptive (default), a number of turns, or a time"},
       .set =
           [](Settings& s, const parsed_option& input) {
             s.poll = detail::parse_polling(input);
             s.source.device_words = text_of(input);
           },
       .check = [](const Settings& s) { detail::check_polling(s.poll); }},
  };
}

}  // namespace imbrex
