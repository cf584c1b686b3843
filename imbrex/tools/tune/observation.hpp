// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <imbrex/base/clock.hpp>
#include <imbrex/tools/tune/dimension.hpp>

namespace imbrex::tune {

/// What the trace of a run says of where its time went; parts are of the PEs' time, from 0 to 1.
struct evidence {
  double program = 0;
  double runtime = 0;
  double idle_message = 0;  ///< idle while a message was on its way to the PE
  double idle_device = 0;
  double idle_other = 0;  ///< timers, dependencies, imbalance, beginning and end
  double exposed = 0;     ///< a message was on its way, and the PE not in the program
  double covered = 0;     ///< of the time in which messages were on their way: the PE was in the program
  std::optional<double> device{};  ///< the devices ran kernels; none without devices
};

/// What one run of the program has shown.
struct observation {
  nanoseconds time{0};    ///< what is measured
  nanoseconds cost{0};    ///< how long it took to find out
  nanoseconds lost{0};    ///< besides, in attempts that were given up, which says nothing of what a run costs
  std::string failure{};  ///< why it has no time; empty if it has
  std::optional<evidence> seen{};
  bool simulated_time = false;    ///< by its trace; so the run takes the same time whenever it is made
  bool one_pe_a_process = false;  ///< by its trace: its processes could have no more
};

/// Something that can be run in different configurations.
class subject {
 public:
  virtual ~subject() = default;
  /// Runs it once, for at most `limit`.
  virtual observation run(const configuration& at, nanoseconds limit) = 0;
};

}  // namespace imbrex::tune
