// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/ending.hpp>

#include <string.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace imbrex::tools {
namespace {

enum weight { none, announced, gave_a_status, killed };

weight weight_of(const ending& one) {
  if (status_of(one) == 0) return none;
  const bool as_announced = one.announced && (*one.announced & 255) == one.status;  // only 8 bits arrive
  if (one.is_requested || (!one.signal && as_announced)) return announced;
  return one.signal ? killed : gave_a_status;
}

}  // namespace

std::string describe(const ending& one) {
  if (!one.signal)
    return "with status " + std::to_string(one.status) +
           (status_of(one) != one.status ? " in the middle of a run" : "");
  return "by signal " + std::to_string(*one.signal) + " (" + ::strsignal(*one.signal) + ")";
}

std::string words_of_ranks(int process, int processes, int ranks) {
  const auto first_of = [&](int number) {  // consecutive ranks in equal parts, as in the runtime
    return static_cast<std::int64_t>(ranks) * number / processes;
  };
  const std::int64_t first = first_of(process);
  const std::int64_t last = first_of(process + 1) - 1;
  if (last < first) return "no rank";
  if (last == first) return "rank " + std::to_string(first);
  return "ranks " + std::to_string(first) + " to " + std::to_string(last);
}

int status_of(const ending& one) { return one.status == 0 && one.in_run ? 1 : one.status; }

verdict::time_point verdict::settled_at(time_point since) const {
  return std::clamp(expected_until_, since + settling_time, since + longest_settling_time);
}

void verdict::add(const ending& one, time_point now) {
  const int weight = weight_of(one);
  if (weight == none) return;
  if (!first_) first_ = now;
  if (weight_ == none || (weight > weight_ && !decided_)) {
    weight_ = weight;
    status_ = status_of(one);
  }
  if (weight == announced) {
    // An ending on request causes no message, but the other processes should end, too.
    if (one.is_requested && !failed_at_) failed_at_ = now;
    return;
  }
  if (!failed_at_) failed_at_ = now;
  if (!message_since_) message_since_ = now;
  if (weight > message_weight_ && !message_decided_) {
    message_weight_ = weight;
    message_ = one.name + " ended " + describe(one);
  }
}

bool verdict::is_open() const { return (first_ && !decided_) || (message_since_ && !message_decided_); }

void verdict::expect_another(time_point now) {
  if (is_open()) expected_until_ = now + settling_time;
}

void verdict::settle(time_point now) {
  if (first_ && now >= settled_at(*first_)) decided_ = true;
  if (message_since_ && now >= settled_at(*message_since_)) message_decided_ = true;
}

void verdict::complain(const std::string& text, time_point now) {
  if (!message_since_) message_since_ = now;
  if (!failed_at_) failed_at_ = now;  // the other processes may not be notified
  if (!first_) first_ = now;
  if (weight_ == none) {
    weight_ = announced;
    status_ = 1;
  }
  if (message_weight_ != none) return;
  message_weight_ = announced;
  message_ = text;
}

std::optional<verdict::time_point> verdict::message_due() const {
  if (message_.empty()) return std::nullopt;
  return settled_at(*message_since_);
}

std::string verdict::message() {
  if (!message_.empty()) message_decided_ = true;
  return std::exchange(message_, {});
}

}  // namespace imbrex::tools
