// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/options.hpp>

#include <array>
#include <cstddef>
#include <string_view>

#include <imbrex/base/error.hpp>
#include <imbrex/base/options/number.hpp>
#include <imbrex/base/options/quantity.hpp>
#include <imbrex/base/printable.hpp>

namespace imbrex {

namespace {

constexpr std::array<std::string_view, 2> bindings{"none", "core"};
constexpr std::array<std::string_view, 6> completions{"sync",     "poll-user", "poll",
                                                      "callback", "flag",      "work-request"};

}  // namespace

std::string_view option_word(completion_method method) {
  return completions[static_cast<std::size_t>(method)];
}

namespace detail {

thread_settings::binding parse_binding(const parsed_option& input) {
  return static_cast<thread_settings::binding>(parse_word(input, bindings));
}

completion_method parse_completion(const parsed_option& input) {
  return static_cast<completion_method>(parse_word(input, completions));
}

polling_interval parse_polling(const parsed_option& input) {
  if (input.value == "adaptive") return {};
  if (const auto turns = parse_number<int>(input.value); turns && *turns >= 1 && *turns <= max_poll_turns)
    return {*turns, nanoseconds(0)};
  const auto time = parse_duration(input.value);
  if (time && time->count() > 0 && *time <= std::chrono::seconds(1)) return {0, *time};
  throw usage_error(printable(input.name) + " " + printable(input.value) +
                    ": the value must be adaptive, a number of turns from 1 to " +
                    std::to_string(max_poll_turns) + ", or a time up to 1s with its unit, such as 20us");
}

void check_polling(const polling_interval& poll) {
  if (poll.turns < 0 || poll.turns > max_poll_turns || poll.time < nanoseconds(0) ||
      poll.time > std::chrono::seconds(1))
    throw usage_error("poll = " + std::to_string(poll.turns) + " turns, " + duration_text(poll.time) +
                      ": turns must be from 1 to " + std::to_string(max_poll_turns) +
                      " or the time up to 1s, or both 0 to adapt");
}

}  // namespace detail
}  // namespace imbrex
