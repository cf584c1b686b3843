// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hotspot {

/// Runs the program. Returns its exit status: 0, 1 if the run failed, 2 for a wrong command line.
int program(int argc, char** argv);

}  // namespace hotspot
