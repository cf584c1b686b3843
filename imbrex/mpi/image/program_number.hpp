// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// Variable by which the command imbrex tells a process which of the job's programs it runs, from 0.
inline constexpr const char* variable_of_program = "IMBREX_PROGRAM";

}  // namespace imbrex::mpi
