// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/resident/machine.hpp>
#include <imbrex/resident/team.hpp>

namespace imbrex::resident::detail {

/// Runs this process's GPUs of a machine in the host's memory. Each PE has `machine::blocks` times
/// `machine::threads` threads. Returns when the run has ended. `serve` is the main loop of one thread of a
/// PE.
void run_on_threads(const machine& m, void (*serve)(const machine&, pe_state&, team&, std::uint32_t pe));

}  // namespace imbrex::resident::detail
