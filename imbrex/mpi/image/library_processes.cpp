// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>

#include <imbrex/base/log.hpp>
#include <imbrex/mpi/image/child_process.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

/// daemon would end the calling process at once, and all copies with it.
int copy_daemon(int stays_in_folder, int keeps_output) {
  if (is_child()) return ::daemon(stays_in_folder, keeps_output);
  log(log_level::warning,
      "daemon() is refused: it would end the process, in which other ranks run; call it in a child (fork), "
      "or start the program in the background");
  errno = ENOTSUP;
  return -1;
}

}  // namespace

void add_processes(function_table& table) { table.insert({{"daemon", address_outside<&copy_daemon>()}}); }

}  // namespace imbrex::mpi
