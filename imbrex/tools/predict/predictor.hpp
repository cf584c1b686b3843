// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <imbrex/tools/predict/prediction.hpp>
#include <imbrex/trace/flow.hpp>

namespace imbrex::predict {

/// A program that runs in simulated time.
class simulated_program {
 public:
  virtual ~simulated_program() = default;
  /// Runs it once, for at most `limit`. `options`: the runtime's.
  virtual tune::observation run(const tune::arguments& options, const tune::arguments& words,
                                nanoseconds limit) = 0;
  /// The flow of the last run; nothing if it recorded none.
  virtual std::optional<trace::flow> take_flow() { return std::nullopt; }
  /// The output of its --help.
  virtual std::string help() = 0;
};

/// Runs the program on all numbers of nodes, with each ODF. Changed machines have the times of the recorded
/// flows, or of further runs where there are none. Failures of runs are failures of their points. Throws
/// `error` if no run succeeded, with the failure of the first.
prediction predict_all(settings request, simulated_program& program);

}  // namespace imbrex::predict
