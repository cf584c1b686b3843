// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/tools/predict/prediction.hpp>

namespace imbrex::predict {

/// A program that runs in simulated time.
class simulated_program {
 public:
  virtual ~simulated_program() = default;
  /// Runs it once, for at most `limit`. `options`: the runtime's.
  virtual tune::observation run(const tune::arguments& options, const tune::arguments& words,
                                nanoseconds limit) = 0;
  /// The output of its --help.
  virtual std::string help() = 0;
};

/// Runs the program on all numbers of nodes, with each ODF, and on changed machines. Failures of runs are
/// failures of their points. Throws `error` if no run succeeded, with the failure of the first.
prediction predict_all(settings request, simulated_program& program);

}  // namespace imbrex::predict
