// SPDX-License-Identifier: Apache-2.0
#include <imbrex/balance/driver/step_log.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace imbrex::balance::detail {

namespace {

template <class... Number>
std::string formatted(const char* format, Number... numbers) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, numbers...);
  return text.data();
}

/// "1.9 ms"
std::string time_text(double seconds) {
  if (std::abs(seconds) < 1e-3) return formatted("%.3g us", seconds * 1e6);
  if (std::abs(seconds) < 1) return formatted("%.3g ms", seconds * 1e3);
  return formatted("%.3g s", seconds);
}

std::string bytes_text(double bytes) {
  if (bytes < 1e6) return formatted("%.3g kB", bytes / 1e3);
  return bytes < 1e9 ? formatted("%.3g MB", bytes / 1e6) : formatted("%.3g GB", bytes / 1e9);
}

}  // namespace

void step_log::add_period(const period_report& ended) {
  ++periods_;
  bytes_ += ended.bytes;
  fixed_ = std::max(fixed_, ended.fixed);
  if (ended.unmovable == ended.elements)
    unmovable_ = std::max(unmovable_, ended.unmovable);  // no step follows
}

void step_log::add_step(const rebalance_result& step, double moment) {
  moment_ = moment;
  ++steps_;
  moves_ += step.moved;
  unmovable_ = std::max(unmovable_, step.unmovable);
  bytes_ = 0;
  last_ = step;
  is_taken_ = false;
}

std::string step_log::take_line(double gain) {
  if (std::exchange(is_taken_, true)) return {};
  const double share =
      last_.elements > 0 ? 100.0 * static_cast<double>(last_.moved) / static_cast<double>(last_.elements) : 0;
  std::string line = "balance: step " + std::to_string(steps_) + ", " + time_text(moment_) + ": " +
                     last_.strategy +
                     formatted(", max/avg %.2f -> %.2f, %.1f %% of ", last_.before, last_.after, share) +
                     std::to_string(last_.elements) + " moved (" + bytes_text(static_cast<double>(bytes_)) +
                     "), " + time_text(cost_);
  if (last_.unmovable > 0) line += ", " + std::to_string(last_.unmovable) + " could not move";
  return line + ", gains " + time_text(gain) + " a period\n";
}

std::string step_log::summary() const {
  std::string line = "balance: " + std::to_string(steps_) + " steps in " + std::to_string(periods_) +
                     " periods, " + std::to_string(moves_) + " moves";
  if (unmovable_ > 0) line += ", up to " + std::to_string(unmovable_) + " elements could not move";
  if (fixed_ > 0) line += ", " + std::to_string(fixed_) + " of groups and classes that cannot migrate";
  return line + "\n";
}

}  // namespace imbrex::balance::detail
