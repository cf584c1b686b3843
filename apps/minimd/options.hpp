// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/imbrex.hpp>

#include "apps/minimd/communication.hpp"
#include "apps/minimd/input.hpp"
#include "apps/minimd/problem.hpp"

namespace minimd {

/// The settings of the command line. Each field is set by the option beside it; the last of several counts.
struct settings {
  imbrex::options machine;  ///< the runtime's options; pes is never 0 here
  int processes = 1;
  input parameters;                          ///< `--input FILE`, changed by `--size`, `--steps` and others
  std::vector<std::int64_t> odf{1};          ///< `--odf N[,N...]`
  communication comm = communication::host;  ///< `--comm host|message`; for blocks on devices
  bool check = false;                        ///< `--check`
  std::string oracle;                        ///< `--oracle FILE`: the values for `--check`
  std::string json;                          ///< `--json FILE`
  std::string yaml;                          ///< `--yaml FILE`
  std::string dump;                          ///< `--dump FILE`
  std::string write_restart;                 ///< `--write-restart FILE`
  std::string read_restart;                  ///< `--read-restart FILE`
  bool quiet = false;                        ///< `--quiet`
  std::string help;                          ///< text for `--help`; empty if it was not given

  bool on_device() const { return !machine.device.empty(); }
};

/// Reads the program's options, its input file and the runtime's options. Throws imbrex::usage_error, with
/// the value and the remedy.
settings parse_settings(int argc, char** argv);

/// Throws imbrex::usage_error if the chosen options cannot compute the problem or write the requested
/// outputs.
void check_problem(const settings& setup);

/// Sets the copper benchmark with embedded-atom forces, without its potential.
void be_copper(problem& what);
/// Takes the potential and cut-off of a file, and its mass if no other is set. Throws imbrex::error if it
/// cannot be read.
void take_potential(problem& what, const std::string& file);

/// The text of a file. Throws imbrex::usage_error, which names its purpose, if the file cannot be read.
std::string text_of_file(const std::string& name, const std::string& purpose);

}  // namespace minimd
