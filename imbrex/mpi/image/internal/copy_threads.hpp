// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace imbrex::mpi {

struct copy_state;

/// Like pthread_create, for a thread of copy `owner`; null: of no copy. The thread begins with new instances
/// of the copy's thread_local variables and with its locale. The copy's code stays mapped for the thread.
int start_thread(copy_state* owner, pthread_t* thread, const pthread_attr_t* attributes,
                 void* (*function)(void*), void* argument);

}  // namespace imbrex::mpi
