// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <imbrex/base/error.hpp>

namespace imbrex::mpi {

/// An argument that an MPI call rejects, or a failure of the call. Internal code throws it; the wrapper of
/// the call passes it to the error handler of the call's object.
class error : public imbrex::error {
 public:
  /// `code` is one of the classes MPI_ERR_..., or the return value of a user callback.
  error(int code, const std::string& text) : imbrex::error(text), code_(code) {}

  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// The text of a standard error class, such as "invalid datatype"; null for any other number.
const char* text_of_class(int error_class);

}  // namespace imbrex::mpi
