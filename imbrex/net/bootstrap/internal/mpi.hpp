// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/net/bootstrap/bootstrap.hpp>

#include <memory>

namespace imbrex {

/// Whether the launcher of an MPI library started this process.
bool mpi_launched_this_process();

/// Loads libimbrex_mpi_bootstrap.so and starts MPI. Throws `error` if it cannot be loaded, or MPI does not
/// start within the patience.
std::unique_ptr<bootstrap> start_mpi_bootstrap();

}  // namespace imbrex
