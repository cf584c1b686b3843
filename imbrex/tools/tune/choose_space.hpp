// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <imbrex/tools/tune/command.hpp>
#include <imbrex/tools/tune/dimension.hpp>

namespace imbrex::tune {

/// What is known of a program before its options are varied.
struct program_facts {
  std::string help;               ///< what it says to --help
  bool has_runtime = false;       ///< it takes the runtime's options
  int processors = 1;             ///< that it may use
  bool one_pe_a_process = false;  ///< as of a program of a Python with a global lock
};

/// What to vary: what the user has named; --odf, if the program has it; and of the runtime's options what may
/// matter to this run: how PEs learn of their devices, how they are divided among processes, the thread for
/// communication, binding. Throws `usage_error` for what cannot be varied.
space choose_space(const settings& asked, const program_facts& known);

/// Throws `usage_error` for what cannot be varied whatever the program is, so that it need not be run to
/// learn this.
void check_request(const settings& asked, int processors);

}  // namespace imbrex::tune
