// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/launch/absent.hpp>

#include <string>

#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

void call_absent(const char* function) {
  rank& self = rank_data::here().self();
  detail::processor::here().run().fail("rank " + std::to_string(self.number()) + " called " + function +
                                       ", which is not there yet: docs/mpi-functions.md lists what is");
  self.stop();
}

}  // namespace imbrex::mpi
