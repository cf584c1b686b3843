// SPDX-License-Identifier: Apache-2.0
#pragma once
// The interface of libimbrex_mpi_bootstrap.so. Only that library is linked against MPI, so programs need no
// MPI. It is in C, so that the compiler that the MPI library requires can build it.

#include <cstddef>

extern "C" {

/// Called for each rank's text, in order.
using imbrex_mpi_take = void(void* to, const char* text, std::size_t length);

/// All functions are called by one thread, which MPI takes for the main thread. Those that return an int
/// return 0, or MPI's error code.
struct imbrex_mpi_functions {
  int (*start)(int* rank, int* size);
  int (*all_gather)(const char* text, std::size_t length, imbrex_mpi_take* take, void* to);
  int (*stop)();
  /// Writes at most `room` characters and a zero.
  void (*describe)(int code, char* text, std::size_t room);
};

/// The one symbol that the module exports.
const imbrex_mpi_functions* imbrex_mpi_bootstrap_v1();
}
