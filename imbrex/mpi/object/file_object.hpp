// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/error_handler.hpp>

namespace imbrex::mpi {

/// The object behind a file's handle.
class file_object : public counted, public error_target {
 public:
  using error_target::error_target;
};

}  // namespace imbrex::mpi
