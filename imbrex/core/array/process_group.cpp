// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/process_group.hpp>

#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

int first_pe_of(int process) {
  return processor::here().run().process_starts()[static_cast<std::size_t>(process)];
}

int number_of_processes() { return static_cast<int>(processor::here().run().process_starts().size()); }

int process_of_this_pe() { return processor::here().run().process(); }

}  // namespace imbrex::detail
