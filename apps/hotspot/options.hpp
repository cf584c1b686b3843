// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include <imbrex/run.hpp>

#include "apps/hotspot/loads.hpp"

namespace hotspot {

struct settings {
  imbrex::options machine;
  std::array<int, 3> cells{16, 16, 16};
  int steps = 60;
  motion how = motion::orbit;
  imbrex::nanoseconds time{100'000};  ///< a step of a cell far from the hot spot
  int halo = 2048;                    ///< bytes of a message to a neighbour
  std::string json;                   ///< empty: no file
  std::string help;                   ///< not empty: the text to print in place of a run
};

/// Throws imbrex::usage_error.
settings parse_settings(int argc, char** argv);

}  // namespace hotspot
