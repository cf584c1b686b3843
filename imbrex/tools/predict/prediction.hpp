// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/tools/predict/settings.hpp>
#include <imbrex/tools/tune/observation.hpp>

namespace imbrex::predict {

/// The predicted time of a program on one machine.
struct point {
  int nodes = 0;
  int pes = 0;
  int odf = 0;                             ///< 0: the program has none
  double time = 0;                         ///< ns of a step (`--steps`), else of the run or its phase
  std::optional<tune::evidence> shares{};  ///< measured in the longer run
  std::string failure{};                   ///< why there is no time; empty if there is one
};

/// A change of the machine, and the time with it.
struct what_if {
  std::string part;    ///< the better part: "the network's rate"
  std::string change;  ///< "twice the rate between nodes"
  double gain = 1;     ///< time without it, divided by the time with it
};

/// A value of a `--sweep`, and the times with it for each number of nodes, at its best ODF.
struct sweep_row {
  std::string number;
  std::string value;
  std::vector<double> times;  ///< ns; 0: the run failed
};

/// The numbers of runs behind a prediction.
struct run_counts {
  int executed = 0;
  int evaluated = 0;  ///< times of recorded flows on changed machines
};

struct prediction {
  settings request;
  std::vector<point> points;                     ///< ordered by nodes, then by ODF
  std::map<int, std::vector<what_if>> what_ifs;  ///< by nodes, each at its best ODF; the largest gain first
  std::vector<sweep_row> sweeps;
  nanoseconds spent{0};
  run_counts runs;
  bool is_out_of_time = false;  ///< runs were left out
};

/// The point with the least time on that number of nodes; null if all of them failed.
const point* best_on(const prediction& of, int nodes);

/// The sentences of advice: on ODF, on numbers of nodes, and on what bounds the program.
std::vector<std::string> advice(const prediction& of);

std::string report_text(const prediction& of);
std::string report_json(const prediction& of);
/// A picture of the times over numbers of nodes, a curve for each ODF.
std::string picture(const prediction& of);

}  // namespace imbrex::predict
