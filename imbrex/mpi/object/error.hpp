// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::mpi {

/// What an MPI call does not accept, or cannot do. Internals throw it, and the wrapper of the call hands it
/// to the error handler that is meant.
class error : public imbrex::error {
 public:
  /// `code` is one of the classes MPI_ERR_..., or what a callback of the user has returned.
  error(int code, const std::string& text) : imbrex::error(text), code_(code) {}

  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// What MPI_Error_string says of a class of the standard: "invalid datatype". Null for any other number.
const char* text_of_class(int error_class);

}  // namespace imbrex::mpi
