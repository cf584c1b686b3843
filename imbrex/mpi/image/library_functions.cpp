// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/library_functions.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <unordered_map>

#include <imbrex/mpi/image/internal/copy_state.hpp>

namespace imbrex::mpi {

namespace {

// ---- the end of the program

[[noreturn]] void copy_exit(int status) { running_copy().exit(status); }
[[noreturn]] void copy_exit_at_once(int status) { running_copy().end_at_once(status); }
[[noreturn]] void copy_quick_exit(int status) {
  copy_state& s = running_copy();
  s.at_quick_exit.run(status);
  s.end_at_once(status);
}
[[noreturn]] void copy_abort() {
  running_copy().flush();
  std::abort();
}
int copy_at_exit(exit_functions::function called, void* argument, void* module) {
  running_copy().at_exit.add(called, argument, module);
  return 0;
}
int copy_on_exit(exit_functions::function_with_status called, void* argument) {
  running_copy().at_exit.add(called, argument);
  return 0;
}
int copy_at_quick_exit(exit_functions::function called, void* module) {
  running_copy().at_quick_exit.add(called, nullptr, module);
  return 0;
}
int copy_at_thread_exit(exit_functions::function called, void* argument, void* module) {
  running_copy().at_thread_exit.add(called, argument, module);
  return 0;
}
void copy_finalize(void* module) { running_copy().at_exit.run_of(module); }

template <class Function>
const void* address(Function* function) {
  return reinterpret_cast<const void*>(function);
}

const std::unordered_map<std::string_view, const void*>& table() {
  static const std::unordered_map<std::string_view, const void*> functions = {
      {"exit", address(&copy_exit)},
      {"_exit", address(&copy_exit_at_once)},
      {"_Exit", address(&copy_exit_at_once)},
      {"quick_exit", address(&copy_quick_exit)},
      {"abort", address(&copy_abort)},
      {"__cxa_atexit", address(&copy_at_exit)},
      {"on_exit", address(&copy_on_exit)},
      {"__cxa_at_quick_exit", address(&copy_at_quick_exit)},
      {"__cxa_thread_atexit", address(&copy_at_thread_exit)},
      {"__cxa_thread_atexit_impl", address(&copy_at_thread_exit)},
      {"__cxa_finalize", address(&copy_finalize)},
  };
  return functions;
}

}  // namespace

const void* function_of_copies(std::string_view name) {
  const auto at = table().find(name);
  return at == table().end() ? nullptr : at->second;
}

}  // namespace imbrex::mpi
