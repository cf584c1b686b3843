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

/// What the command line asks for. Each field is given by the option beside it; the last of several counts.
struct settings {
  imbrex::options machine;  ///< the runtime's options; pes is never 0 here
  int processes = 1;
  input given;                               ///< `--input FILE`, changed by `--size`, `--steps` and others
  std::vector<std::int64_t> odf{1};          ///< `--odf N[,N...]`
  communication comm = communication::host;  ///< `--comm host|message`: of blocks on devices
  bool check = false;                        ///< `--check`
  std::string oracle;                        ///< `--oracle FILE`: the values for `--check`
  std::string json;                          ///< `--json FILE`
  std::string yaml;                          ///< `--yaml FILE`
  std::string dump;                          ///< `--dump FILE`
  std::string write_restart;                 ///< `--write-restart FILE`
  std::string read_restart;                  ///< `--read-restart FILE`
  bool quiet = false;                        ///< `--quiet`
  std::string help;                          ///< the text that `--help` asks for; empty if it was not given

  bool on_device() const { return !machine.device.empty(); }
};

/// Reads the program's options, its input file and the runtime's options. Throws imbrex::usage_error, with
/// the value and the remedy.
settings parse_settings(int argc, char** argv);

/// Throws imbrex::usage_error if the problem, or what is to be written of it, cannot be had in the way
/// that it is to be computed.
void check_problem(const settings& setup);

/// The benchmark of copper with embedded-atom forces, but for its potential.
void be_copper(problem& what);
/// Takes a file's potential and cut-off, and its mass where no other is given. Throws imbrex::error if it
/// cannot be read.
void take_potential(problem& what, const std::string& file);

/// The text of a file. Throws imbrex::usage_error, with the name of what it is for, if it cannot be read.
std::string text_of_file(const std::string& name, const std::string& purpose);

}  // namespace minimd
