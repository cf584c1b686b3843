// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "apps/harness/option_values.hpp"
#include "apps/moldyn/overlap.hpp"
#include "apps/moldyn/work_times.hpp"

namespace moldyn {

enum class model : std::uint8_t { grande, torus };

/// The settings of the command line. The comment of a field names its option; the last of repeated options
/// counts.
struct settings {
  imbrex::options machine;  ///< the runtime's options; pes is never 0 here
  int processes = 1;
  model what = model::grande;        ///< `--model grande|torus`
  int mm = 8;                        ///< `--size A|B|N`: size of the grande model
  std::int64_t particles = 320'000;  ///< `--particles N`: approximate number in the torus
  harness::fraction filled;          ///< `--filled N/M`: rows of the torus with particles in the beginning
  std::int64_t cells = 0;    ///< `--cells N`: along an edge of the cube; 0: by the cut-off and the chares
  std::int64_t cycles = 50;  ///< `--cycles N`
  std::vector<std::int64_t> odf{1};  ///< `--odf N[,N...]`
  overlap how = overlap::automatic;  ///< `--overlap none|auto`
  bool strips = false;               ///< `--strips`: divides the torus into rows only, as the paper does
  work_times times;                  ///< `--pair-time`, `--particle-time`, `--pause`: for the torus
  bool plain = false;                ///< `--plain`: also runs a plain loop, for the torus
  bool check = false;                ///< `--check`: compare with the plain loop, or with known energies
  std::string json;                  ///< `--json FILE`
  bool quiet = false;                ///< `--quiet`
  std::string help;                  ///< text of `--help` if requested; otherwise empty
};

/// Parses the program's options and the runtime's. Throws imbrex::usage_error, with the value and the remedy.
settings parse_settings(int argc, char** argv);

}  // namespace moldyn
