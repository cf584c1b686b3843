// SPDX-License-Identifier: Apache-2.0
// The C++ library has one handler of each kind. Once a copy sets one, the library's handler is a function
// that calls the handler of the thread's copy.
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

std::new_handler others_on_new = nullptr;
std::terminate_handler others_on_terminate = nullptr;

/// Acts as without a handler if the copy has none.
void handle_new() {
  const copy_state* const here = copy_of_thread();
  const std::new_handler own = here != nullptr ? here->library->on_new : others_on_new;
  if (own == nullptr) throw std::bad_alloc();
  own();
}
std::new_handler copy_set_new_handler(std::new_handler handler) {
  static const std::new_handler before = std::set_new_handler(&handle_new);
  others_on_new = before;
  return std::exchange(calling_copy().library->on_new, handler);
}
std::new_handler copy_get_new_handler() { return calling_copy().library->on_new; }

void handle_terminate() {
  const copy_state* const here = copy_of_thread();
  const std::terminate_handler own = here != nullptr ? here->library->on_terminate : nullptr;
  (own != nullptr ? own : others_on_terminate)();
  std::abort();
}
std::terminate_handler copy_set_terminate(std::terminate_handler handler) {
  static const std::terminate_handler before = std::set_terminate(&handle_terminate);
  others_on_terminate = before;
  const std::terminate_handler was = std::exchange(calling_copy().library->on_terminate, handler);
  return was != nullptr ? was : before;
}
std::terminate_handler copy_get_terminate() {
  const std::terminate_handler own = calling_copy().library->on_terminate;
  return own != nullptr ? own : others_on_terminate != nullptr ? others_on_terminate : std::get_terminate();
}

}  // namespace

void add_handlers(function_table& table) {
  table.insert({
      {"_ZSt15set_new_handlerPFvvE", function_address(&copy_set_new_handler)},
      {"_ZSt15get_new_handlerv", function_address(&copy_get_new_handler)},
      {"_ZSt13set_terminatePFvvE", function_address(&copy_set_terminate)},
      {"_ZSt13get_terminatev", function_address(&copy_get_terminate)},
  });
}

}  // namespace imbrex::mpi
