// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/error_handler.hpp>
#include <imbrex/mpi/object/info.hpp>

namespace imbrex::mpi {

/// The object behind a session's handle.
struct session final : counted, error_target {
  using error_target::error_target;
  std::string description() const override { return "a session"; }

  info settings;  ///< information about the session, such as its level of threads
};

}  // namespace imbrex::mpi
