// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

function_table all_functions() {
  function_table table;
  add_ends(table);
  add_output(table);
  add_options(table);
  add_random(table);
  add_results(table);
  add_locale(table);
  add_environment(table);
  add_signals(table);
  add_loader(table);
  return table;
}

}  // namespace

const void* function_of_copies(std::string_view name) {
  static const function_table table = all_functions();
  const auto at = table.find(name);
  return at == table.end() ? nullptr : at->second;
}

}  // namespace imbrex::mpi
