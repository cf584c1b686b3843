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

/// A program, and over which modelled networks it is run to see whether what is predicted comes true.
struct verification_settings {
  std::vector<std::string> command;
  measured_part part;
  survey over;
  int repeats = 3;
  nanoseconds limit{0};  ///< that one run may take
};

/// Of one network. Times are those in which there was a phase that is looked at, or of the whole run.
struct verified_point {
  network over;
  microseconds achieved;  ///< the least of all repeats
  microseconds replayed;  ///< by running the recorded pieces of work again
  microseconds modelled;  ///< by the paper's formulas, with measured parameters
};

struct verification {
  measured_program measured;
  microseconds without_network;  ///< recorded, the least of all repeats
  microseconds
      replayed_without;  ///< the same run: off by what its pieces of work do not tell, such as waking PEs
  std::vector<verified_point> points;
};

/// By how much a prediction is off, of what was achieved.
double relative_error(microseconds predicted, microseconds achieved);
struct error_summary {
  double median;
  double worst;
};
/// Of one kind of prediction: `&verified_point::replayed` or `modelled`. There is a point or more.
error_summary errors(const verification& of, microseconds verified_point::* predicted);

/// Runs the program without a network model and then over each network, all of it as often as asked for, in
/// turn, so that a machine that changes its speed does so for all. What the fastest run without a network did
/// is what the predictions are made from. Throws `usage_error` or `error` if a run fails, with what it last
/// said.
verification verify(const verification_settings& asked);

std::string verification_text(const verification& of);
nlohmann::ordered_json verification_json(const verification& of);

}  // namespace imbrex::overlap
