// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "apps/moldyn/overlap.hpp"
#include "apps/moldyn/work_times.hpp"

namespace moldyn {

enum class model : std::uint8_t { grande, torus };

/// What the command line asks for. Each field is given by the option beside it; the last of several counts.
struct settings {
  imbrex::options machine;  ///< the runtime's options; pes is never 0 here
  int processes = 1;
  model what = model::grande;        ///< `--model grande|torus`
  int mm = 8;                        ///< `--size A|B|N`: of the grande model
  std::int64_t particles = 320'000;  ///< `--particles N`: of the torus, about
  std::int64_t cells = 0;    ///< `--cells N`: along a side of the cube; 0: as the cut-off and chares need
  std::int64_t cycles = 50;  ///< `--cycles N`
  std::vector<std::int64_t> odf{1};  ///< `--odf N[,N...]`
  overlap how = overlap::automatic;  ///< `--overlap none|auto`
  bool strips = false;               ///< `--strips`: the torus is cut into rows alone, as the paper does
  work_times times;                  ///< `--pair-time`, `--particle-time`, `--pause`: of the torus
  bool plain = false;                ///< `--plain`: also by a plain loop, of the torus
  bool check = false;                ///< `--check`: compare with the plain loop, or with known energies
  std::string json;                  ///< `--json FILE`
  bool quiet = false;                ///< `--quiet`
  std::string help;                  ///< the text that `--help` asks for; empty if it was not given
};

/// Reads the program's options and the runtime's. Throws imbrex::usage_error, with the value and the remedy.
settings parse_settings(int argc, char** argv);

}  // namespace moldyn
