// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/balance/driver/period_report.hpp>

namespace imbrex::balance::detail {

/// Tells when the reports of periods can be judged: all elements have a load, and those of the last step have
/// arrived.
class settling {
 public:
  /// A step has begun that moves so many elements.
  void begin_step(std::uint64_t moves);
  /// Adds a period. False while it cannot be judged; that ends after some periods.
  bool add(const period_report& ended);
  /// True if the loads of the last period added were measured, or will not be.
  bool is_measured() const { return is_measured_; }
  /// The number of periods since the last step; many before the first one.
  std::uint64_t periods_since_step() const { return periods_since_step_; }

 private:
  static constexpr std::uint64_t periods_before_first_step = 1'000'000;

  std::uint64_t periods_since_step_ = periods_before_first_step;
  std::uint64_t moves_ = 0;
  std::uint64_t arrivals_ = 0;
  int periods_unmeasured_ = 0;
  bool is_measured_ = false;
};

}  // namespace imbrex::balance::detail
