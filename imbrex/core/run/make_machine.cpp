// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/make_machine.hpp>

#include <imbrex/core/run/deterministic_machine.hpp>
#include <imbrex/core/run/simulated_machine.hpp>
#include <imbrex/core/run/threads_machine.hpp>

namespace imbrex::detail {

std::unique_ptr<machine> make_machine(const options& how, local_run& run) {
  switch (how.machine) {
    case machine_kind::threads: break;
    case machine_kind::deterministic: return std::make_unique<deterministic_machine>(how, run);
    case machine_kind::simulated: return std::make_unique<simulated_machine>(how, run);
  }
  return std::make_unique<threads_machine>(how, run);
}

}  // namespace imbrex::detail
