// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace moldyn {

/// Runs the program. Returns its exit status: 0, 1 if a run failed or --check found a difference, 2 for a
/// wrong command line.
int program(int argc, char** argv);

}  // namespace moldyn
