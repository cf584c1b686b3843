// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/make_machine.hpp>

#include <imbrex/core/run/deterministic_machine.hpp>
#include <imbrex/core/run/simulated_machine.hpp>
#include <imbrex/core/run/threads_machine.hpp>

namespace imbrex::detail {

std::unique_ptr<machine> make_machine(const options& settings, local_run& run) {
  switch (settings.machine) {
    case machine_kind::threads: break;
    case machine_kind::deterministic: return std::make_unique<deterministic_machine>(settings, run);
    case machine_kind::simulated: return std::make_unique<simulated_machine>(settings, run);
  }
  return std::make_unique<threads_machine>(settings, run);
}

}  // namespace imbrex::detail
