// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <unordered_map>

#include <imbrex/mpi/image/heap_switch.hpp>

namespace imbrex::mpi {

/// Functions for copies by the name of the function that they replace.
using function_table = std::unordered_map<std::string_view, const void*>;

/// Replacements for functions of the C library or the compiler that keep state of the process. Each works on
/// the state of the calling copy, on any thread. Copies call them through gates.
function_table functions_of_copies();

// Replacements by subject:
void add_ends(function_table& table);         ///< exit, atexit and the like
void add_output(function_table& table);       ///< writes to the standard output
void add_streams(function_table& table);      ///< freopen, fclose, setvbuf of the standard output
void add_descriptors(function_table& table);  ///< dup2, close, fstat and the like
void add_options(function_table& table);      ///< getopt
void add_random(function_table& table);       ///< rand, random, drand48
void add_results(function_table& table);      ///< strtok, localtime, lgamma: results in static variables
void add_databases(function_table& table);    ///< hsearch, getpwnam and the like
void add_handlers(function_table& table);     ///< std::set_new_handler, std::set_terminate
void add_locale(function_table& table);       ///< setlocale
void add_environment(function_table& table);
void add_threads(function_table& table);    ///< pthread_create, pthread_setspecific and the like
void add_signals(function_table& table);    ///< signal, sigaction, and timers, which send signals
void add_waits(function_table& table);      ///< sleep, poll and the like, while others run
void add_processes(function_table& table);  ///< daemon
void add_loader(function_table& table);     ///< dlsym, dladdr, dl_iterate_phdr
void add_resources(function_table& table);  ///< open, socket, mmap, dlopen and the like

template <auto Function>
struct outside {
  template <class R, class... A>
  static R call(A... arguments) {
    const outside_program process;
    return Function(arguments...);
  }
  template <class R, class... A>
  static auto of(R (* /*function*/)(A...)) {
    return &call<R, A...>;
  }
};

template <class Function>
const void* function_address(Function* function) {
  return reinterpret_cast<const void*>(function);
}

/// The address of `Function` with a heap switch: memory that it allocates belongs to the process.
template <auto Function>
const void* address_outside() {
  return function_address(outside<Function>::of(Function));
}

}  // namespace imbrex::mpi
