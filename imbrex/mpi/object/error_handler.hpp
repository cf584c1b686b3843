// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/object/handle.hpp>

namespace imbrex::mpi {

/// What happens to an error: the run ends, the call returns it, or a function of the user is called.
struct error_handler : counted {
  enum class action { fail, abort, give_back, call };
  using function = void(int* object, int* code, ...);

  explicit error_handler(action a) : what(a) {}
  error_handler(handle_kind kind, function* f) : what(action::call), of(kind), call(f) {}

  action what;
  handle_kind of = handle_kind::communicator;  ///< whose errors the function takes
  function* call = nullptr;
  int handles = 1;  ///< that the program has to free, all of one number
};

/// The error handler with a handle of MPI itself, such as MPI_ERRORS_RETURN; null if it is none.
error_handler* predefined_error_handler(int handle);

/// A communicator, window or file as far as its errors go.
class error_target {
 public:
  error_target(int handle, ref<error_handler> handler) : handle_(handle), handler_(std::move(handler)) {}

  virtual ~error_target() = default;

  /// How messages name it; empty if they do not.
  virtual std::string description() const { return {}; }

  int handle() const { return handle_; }
  void set_handle(int handle) { handle_ = handle; }
  const ref<error_handler>& handler() const { return handler_; }
  void set_handler(ref<error_handler> handler) { handler_ = std::move(handler); }

  /// Hands an error to the handler. Returns its code, or what the user's function has made of it; if the run
  /// must end, `must_end` is set. O(1) but for that function.
  int raise(const error& thrown, bool& must_end);

 private:
  int handle_;
  ref<error_handler> handler_;
};

}  // namespace imbrex::mpi
