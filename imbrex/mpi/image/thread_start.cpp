// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/copy_threads.hpp>

/// Threads of libraries start here, such as the C++ library's and OpenMP's. A thread started while a rank
/// runs belongs to that rank.
extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                             const pthread_attr_t* attributes,
                                                             void* (*function)(void*),
                                                             void* argument) noexcept {
  return imbrex::mpi::start_thread(imbrex::mpi::copy_of_thread(), thread, attributes, function, argument);
}
