// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/object/handle.hpp>

namespace imbrex::mpi {

/// The reaction to an error: end the run, return the code, or call a user function.
struct error_handler : counted {
  enum class action { fail, abort, give_back, call };
  using function = void(int* object, int* code, ...);

  explicit error_handler(action a) : what(a) {}
  error_handler(handle_kind kind, function* f) : what(action::call), of(kind), call(f) {}

  action what;
  handle_kind of = handle_kind::communicator;  ///< the kind of object whose errors the function handles
  function* call = nullptr;
  int handles = 1;  ///< handles that the program still has to free; all have the same number
};

/// The predefined error handler with this handle, such as MPI_ERRORS_RETURN; null if there is none.
error_handler* predefined_error_handler(int handle);

/// The error-handling part of a communicator, window or file.
class error_target {
 public:
  error_target(int handle, ref<error_handler> handler) : handle_(handle), handler_(std::move(handler)) {}

  virtual ~error_target() = default;

  /// The object's name in error texts; empty if they do not name it.
  virtual std::string description() const { return {}; }

  int handle() const { return handle_; }
  void set_handle(int handle) { handle_ = handle; }
  const ref<error_handler>& handler() const { return handler_; }
  void set_handler(ref<error_handler> handler) { handler_ = std::move(handler); }

  /// Passes an error to the handler. Returns its code, or the code that the user's function has set. Sets
  /// `must_end` if the run must end. O(1) apart from the user's function.
  int raise(const error& thrown, bool& must_end);

 private:
  int handle_;
  ref<error_handler> handler_;
};

}  // namespace imbrex::mpi
