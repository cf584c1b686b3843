// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/tools/tune/observation.hpp>

namespace imbrex::tune {

/// Smaller gains do not count, however often they are measured.
inline constexpr double least_gain = 0.02;
/// Smaller gains do not count where times are exact.
inline constexpr double least_exact_gain = 0.005;

enum class outcome : std::uint8_t {
  better,
  not_better,
  failed,    ///< the candidate failed
  undecided  ///< the other configuration failed
};

/// Runs of two configurations, in pairs.
struct comparison {
  configuration candidate{};
  configuration against{};
  std::vector<double> ratios{};  ///< by pair: the other's time divided by the candidate's
  std::vector<observation> of_candidate{};
  std::vector<observation> of_against{};
  outcome result = outcome::not_better;
  std::string failure{};  ///< reason of a failure

  /// The speed of the candidate relative to the other: the median of the pairs; 0 without pairs.
  double ratio() const;
  double least_ratio() const;
  double most_ratio() const;
};

/// The median: the middle value, or the mean of the two middle values; 0 if empty.
double median(std::vector<double> values);

/// The run with the median time; for an even number the faster of the two in the middle. Null if empty.
const observation* typical(const std::vector<observation>& runs);

/// The number of pairs that the candidate must win. By chance alone it wins that many in at most one of eight
/// comparisons (a sign test): all of 3 to 5, all but one of 6 to 8, 8 of 10. For fewer than 3 pairs the
/// result exceeds their number.
int needed_wins(int pairs);

/// True if the candidate has won enough pairs, and its median gain exceeds `least_gain`; if `exact`,
/// `least_exact_gain`.
bool is_better(const std::vector<double>& ratios, bool exact);

}  // namespace imbrex::tune
