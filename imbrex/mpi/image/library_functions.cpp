// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

function_table functions_of_copies() {
  function_table table;
  add_ends(table);
  add_output(table);
  add_streams(table);
  add_descriptors(table);
  add_options(table);
  add_random(table);
  add_results(table);
  add_databases(table);
  add_handlers(table);
  add_locale(table);
  add_environment(table);
  add_threads(table);
  add_signals(table);
  add_waits(table);
  add_processes(table);
  add_loader(table);
  add_resources(table);
  return table;
}

}  // namespace imbrex::mpi
