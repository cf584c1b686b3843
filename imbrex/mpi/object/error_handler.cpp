// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/error_handler.hpp>

#include <cstdint>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/image/heap_switch.hpp>

namespace imbrex::mpi {

namespace {

struct permanent_handler : error_handler {
  explicit permanent_handler(action a) : error_handler(a) { make_permanent(); }
};

}  // namespace

error_handler* predefined_error_handler(int handle) {
  static permanent_handler fails(error_handler::action::fail);
  static permanent_handler aborts(error_handler::action::abort);
  static permanent_handler gives_back(error_handler::action::give_back);
  switch (handle) {
    case MPI_ERRORS_ARE_FATAL: return &fails;
    case MPI_ERRORS_ABORT: return &aborts;
    case MPI_ERRORS_RETURN: return &gives_back;
    default: return nullptr;
  }
}

// The handler of a file takes an MPI_File*, and is kept as a function of an int*.
#ifdef __clang__
[[clang::no_sanitize("function")]]
#endif
int error_target::raise(const error& thrown, bool& must_end) {
  int code = thrown.code();
  const ref<error_handler> handler = handler_;  // the function may replace the handler
  switch (handler->what) {
    case error_handler::action::give_back: break;
    case error_handler::action::call: {
      // A file's handle is a pointer in C, whose lower half is the number that Fortran knows.
      std::uint64_t object = static_cast<std::uint32_t>(handle_);
      const inside_program runs;
      handler->call(reinterpret_cast<int*>(&object), &code);
      break;
    }
    case error_handler::action::fail:
    case error_handler::action::abort: must_end = true;
  }
  return code;
}

}  // namespace imbrex::mpi
