// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace imbrex::mpi {

struct copy_state;

/// As pthread_create; the thread is the copy's that starts it: it begins with the copy's thread_local
/// variables and locale, and the copy's code stays for it. Null: no copy's.
int start_thread(copy_state* owner, pthread_t* thread, const pthread_attr_t* attributes,
                 void* (*function)(void*), void* argument);

}  // namespace imbrex::mpi
