// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

// The environment belongs to the process: a change may move it, so all copies' pointers are updated.
int changed(int result) {
  if (const copy_area* area = copy_area::current())
    area->for_each([](const copy_state& s) {
      for (const auto which : {library_variable::environment, library_variable::environment_alias})
        if (char*** const variable = s.variable<char**>(which)) *variable = environ;
    });
  return result;
}

int copy_setenv(const char* name, const char* value, int overwrites) {
  return changed(::setenv(name, value, overwrites));
}
int copy_putenv(char* text) { return changed(::putenv(text)); }
int copy_unsetenv(const char* name) { return changed(::unsetenv(name)); }
int copy_clearenv() { return changed(::clearenv()); }

}  // namespace

void add_environment(function_table& table) {
  table.insert({
      {"setenv", address_outside<&copy_setenv>()},
      {"putenv", address_outside<&copy_putenv>()},
      {"unsetenv", address_outside<&copy_unsetenv>()},
      {"clearenv", address_outside<&copy_clearenv>()},
  });
}

}  // namespace imbrex::mpi
