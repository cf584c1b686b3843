// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pic {

/// Runs the program. Returns its exit status: 0, 1 if the run failed, 2 for a wrong command line.
int program(int argc, char** argv);

}  // namespace pic
