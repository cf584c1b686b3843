// SPDX-License-Identifier: Apache-2.0
#undef NDEBUG  // else the header does not declare __assert_fail
#include <assert.h>
#include <unistd.h>

#include <cstdlib>

#include <imbrex/mpi/image/child_process.hpp>
#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

extern "C" {
int __cxa_thread_atexit_impl(void (*called)(void*), void* argument, void* module);
extern void* __dso_handle;
}

namespace imbrex::mpi {

namespace {

[[noreturn]] void copy_exit(int status) { calling_copy().exit(status); }
[[noreturn]] void copy_exit_at_once(int status) {
  if (is_child()) ::_exit(status);  // a child made by vfork shares its parent's memory
  calling_copy().end_at_once(status);
}
[[noreturn]] void copy_quick_exit(int status) {
  copy_state& s = calling_copy();
  if (s.runs_here() || is_child()) s.at_quick_exit.run(status);
  s.end_at_once(status);
}
// Functions that end the process; the copy's output is flushed first.
[[noreturn]] void copy_abort() {
  calling_copy().flush();
  std::abort();
}
[[noreturn]] void copy_assert_fail(const char* assertion, const char* file, unsigned line,
                                   const char* function) {
  calling_copy().flush();
  ::__assert_fail(assertion, file, line, function);
}

int copy_at_exit(exit_functions::function called, void* argument, void* module) {
  calling_copy().at_exit.add(called, argument, module);
  return 0;
}
int copy_on_exit(exit_functions::function_with_status called, void* argument) {
  calling_copy().at_exit.add(called, argument);
  return 0;
}
int copy_at_quick_exit(exit_functions::function called, void* module) {
  calling_copy().at_quick_exit.add(called, nullptr, module);
  return 0;
}
/// Registers with the thread, not the copy, on threads that may end later than their copy.
int copy_at_thread_exit(exit_functions::function called, void* argument, void* module) {
  copy_state& s = calling_copy();
  if (s.runs_here()) {
    s.at_thread_exit.add(called, argument, module);
    return 0;
  }
  s.has_threads = true;
  return ::__cxa_thread_atexit_impl(called, argument, &__dso_handle);
}
void copy_finalize(void* module) { calling_copy().at_exit.run_of(module); }

}  // namespace

void add_ends(function_table& table) {
  table.insert({
      {"exit", function_address(&copy_exit)},
      {"_exit", function_address(&copy_exit_at_once)},
      {"_Exit", function_address(&copy_exit_at_once)},
      {"quick_exit", function_address(&copy_quick_exit)},
      {"abort", function_address(&copy_abort)},
      {"__assert_fail", function_address(&copy_assert_fail)},
      {"__cxa_atexit", function_address(&copy_at_exit)},
      {"on_exit", function_address(&copy_on_exit)},
      {"__cxa_at_quick_exit", function_address(&copy_at_quick_exit)},
      {"__cxa_thread_atexit", function_address(&copy_at_thread_exit)},
      {"__cxa_thread_atexit_impl", function_address(&copy_at_thread_exit)},
      {"__cxa_finalize", function_address(&copy_finalize)},
  });
}

}  // namespace imbrex::mpi
