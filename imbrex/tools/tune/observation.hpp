// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <imbrex/base/clock.hpp>
#include <imbrex/tools/tune/dimension.hpp>

namespace imbrex::tune {

/// Shares of a run's time by its trace, as fractions of the PEs' time from 0 to 1.
struct evidence {
  double program = 0;
  double runtime = 0;
  double idle_message = 0;  ///< idle while a message to the PE was in flight
  double idle_device = 0;
  double idle_other = 0;  ///< timers, dependencies, imbalance, begin and end
  double exposed = 0;     ///< a message was in flight, and the PE not in the program
  double covered = 0;     ///< fraction of the time with messages in flight in which the PE was in the program
  std::optional<double> device{};  ///< the devices ran kernels; empty without devices
};

/// The results of one run of the program.
struct observation {
  nanoseconds time{0};    ///< measured time
  nanoseconds cost{0};    ///< total duration of the run
  nanoseconds lost{0};    ///< duration of attempts that were given up; not a part of `cost`
  std::string failure{};  ///< reason of a missing time; empty if there is a time
  std::optional<evidence> seen{};
  bool simulated_time = false;    ///< by its trace; then each run takes the same time
  bool one_pe_a_process = false;  ///< by its trace: a process can have one PE only
};

/// A program that can be run in different configurations.
class subject {
 public:
  virtual ~subject() = default;
  /// Runs it once, for at most `limit`.
  virtual observation run(const configuration& at, nanoseconds limit) = 0;
};

}  // namespace imbrex::tune
