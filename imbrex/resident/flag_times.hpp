// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <imbrex/base/clock.hpp>

namespace imbrex::resident::detail {

/// Times at which numbers written into one flag become visible, in simulated time. Numbers wrap. Of two
/// numbers, one is later if its difference to the other is not negative as a signed number.
class flag_times {
 public:
  /// Records that a number becomes visible at time `there`. Later calls query no time before `now`. So the
  /// record stays small even if no PE waits.
  void write(std::uint32_t number, nanoseconds there, nanoseconds now) {
    std::erase_if(on_their_way_, [&](const auto& one) {
      if (one.second <= now) arrive(one.first);
      return one.second <= now || (is_after(number, one.first) && there <= one.second);
    });
    if (there <= now)
      arrive(number);
    else
      on_their_way_.emplace_back(number, there);
  }
  /// Time at which that number or a later one becomes visible. 0 if it became visible long ago, or before the
  /// run.
  nanoseconds of(std::uint32_t number) const {
    if (arrived_ && is_after(*arrived_, number)) return nanoseconds(0);
    std::optional<nanoseconds> first;
    for (const auto& [its, there] : on_their_way_)
      if (is_after(its, number) && (!first || there < *first)) first = there;
    return first.value_or(nanoseconds(0));
  }
  /// Number of writes that are not visible yet.
  std::size_t size() const { return on_their_way_.size(); }

 private:
  static bool is_after(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) >= 0; }
  void arrive(std::uint32_t number) {
    if (!arrived_ || is_after(number, *arrived_)) arrived_ = number;
  }

  std::optional<std::uint32_t> arrived_;
  std::vector<std::pair<std::uint32_t, nanoseconds>> on_their_way_;
};

}  // namespace imbrex::resident::detail
