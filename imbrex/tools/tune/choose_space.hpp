// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/tools/tune/command.hpp>
#include <imbrex/tools/tune/dimension.hpp>
#include <imbrex/tools/tune/estimates.hpp>

namespace imbrex::tune {

/// Facts about a program, found before its options are varied.
struct program_facts {
  std::string help;               ///< output of --help
  bool has_runtime = false;       ///< accepts the runtime's options
  int processors = 1;             ///< number of processors that it may use
  bool one_pe_a_process = false;  ///< as for a Python with a global interpreter lock
  odf_estimates estimates{};      ///< the program's own, of values of --odf
};

/// Selects the options to vary: those that the user names; --odf, if the program has it; and the runtime's
/// options that may matter to this run. These are the completion method of devices, the division of PEs among
/// processes, the communication thread, and binding. Throws `usage_error` for options that cannot be varied.
space choose_space(const settings& request, const program_facts& known);

/// True if the help names the option.
bool names_option(const std::string& help, const std::string& option);

/// Throws `usage_error` for variations that are impossible for any program, before the program runs.
void check_request(const settings& request, int processors);

}  // namespace imbrex::tune
