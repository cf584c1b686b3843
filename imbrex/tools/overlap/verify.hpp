// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/tools/overlap/measured.hpp>
#include <imbrex/tools/overlap/survey.hpp>

namespace imbrex::overlap {

/// A program, and the modelled networks to run it over for comparing predictions with results.
struct verification_settings {
  std::vector<std::string> command;
  measured_part part;
  survey over;
  int repeats = 3;
  nanoseconds limit{0};  ///< longest time of one run
};

/// Results for one network. Times are the total time within selected phases, or the whole run's.
struct verified_point {
  network over;
  microseconds achieved;  ///< minimum of all repeats
  microseconds replayed;  ///< predicted by replaying the recorded pieces of work
  microseconds modelled;  ///< predicted by the paper's formulas with measured parameters
};

struct verification {
  measured_program measured;
  microseconds without_network;  ///< recorded; minimum of all repeats
  microseconds
      replayed_without;  ///< replay of that run; differs by costs outside pieces of work, such as waking PEs
  std::vector<verified_point> points;
};

/// The error of a prediction, relative to the achieved time.
double relative_error(microseconds predicted, microseconds achieved);
struct error_summary {
  double median;
  double worst;
};
/// Errors of one kind of prediction: `&verified_point::replayed` or `modelled`. There is at least one point.
error_summary errors(const verification& of, microseconds verified_point::* predicted);

/// Runs the program without a network model and then over each network. The whole series repeats as often as
/// requested, so that a change of the machine's speed affects all networks. Predictions use the fastest run
/// without a network. Throws `usage_error` or `error` with the run's last output if a run fails.
verification verify(const verification_settings& request);

std::string verification_text(const verification& of);
nlohmann::ordered_json verification_json(const verification& of);

}  // namespace imbrex::overlap
