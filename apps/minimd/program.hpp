// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace minimd {

/// The whole program. Returns the exit status: 0; 1 if a run failed or --check found a difference; 2 for a
/// wrong command line or input.
int program(int argc, char** argv);

}  // namespace minimd
