// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace imbrex::balance {

/// Predicts the loads of the next period from those of two: either they stay, or they go on to change as they
/// did. It predicts by whichever was closer so far; an error counts half as much with each later period. One
/// forecast is for objects that behave alike, such as the elements of an array.
class forecast {
 public:
  /// Adds the loads of a period: finite, 0 or more. The objects are those of the last period in the same
  /// order; with another number of objects the history starts again. O(objects).
  void add(std::span<const double> loads);

  /// The loads of the next period. O(objects).
  std::vector<double> expected() const;
  /// True if the loads are expected to go on to change.
  bool extrapolates() const { return !before_.empty() && error_if_changing_ < error_if_steady_; }

 private:
  std::vector<double> now_;
  std::vector<double> before_;  ///< empty: unknown
  double error_if_steady_ = 0;
  double error_if_changing_ = 0;
};

/// The load that follows if it changes by as much again; never below 0.
inline double extrapolated(double now, double before) { return now + now > before ? now + now - before : 0; }

}  // namespace imbrex::balance
