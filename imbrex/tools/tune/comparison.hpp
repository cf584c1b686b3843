// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/tools/tune/observation.hpp>

namespace imbrex::tune {

/// A gain of less than this is none, however often it is seen.
inline constexpr double least_gain = 0.02;
/// The same where times are exact.
inline constexpr double least_exact_gain = 0.005;

enum class outcome : std::uint8_t {
  better,
  not_better,
  failed,    ///< the candidate did
  undecided  ///< what it was compared with failed
};

/// Runs of a configuration, each beside one of another.
struct comparison {
  configuration candidate{};
  configuration against{};
  std::vector<double> ratios{};  ///< of each pair: the other's time by the candidate's
  std::vector<observation> of_candidate{};
  std::vector<observation> of_against{};
  outcome result = outcome::not_better;
  std::string failure{};  ///< why the one or the other failed

  /// How many times as fast the candidate is: the median of the pairs; 0 without one.
  double ratio() const;
  double least_ratio() const;
  double most_ratio() const;
};

/// The middle value, or the mean of the two in the middle; 0 of none.
double median(std::vector<double> values);

/// The one with the median time; of an even number the faster of the two in the middle. Null of none.
const observation* typical(const std::vector<observation>& runs);

/// Of so many pairs the candidate must win this many, so that chance alone would let it win as many in one of
/// eight comparisons (a sign test): all of 3 to 5, all but one of 6 to 8, 8 of 10. More than there are of
/// fewer than 3.
int needed_wins(int pairs);

/// The rule: the candidate has won the pairs that it needs to, and is faster in the median by more than
/// `least_gain`; on a machine whose times are exact by more than `least_exact_gain`.
bool is_better(const std::vector<double>& ratios, bool exact);

}  // namespace imbrex::tune
