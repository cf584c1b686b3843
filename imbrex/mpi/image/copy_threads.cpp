// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/copy_threads.hpp>

#include <dlfcn.h>
#include <threads.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

namespace {

struct thread_of_copy {
  copy_state& owner;
  void* (*function)(void*);
  void* argument;

  static void* run(void* self) {
    const std::unique_ptr<thread_of_copy> own(static_cast<thread_of_copy*>(self));
    own->owner.begin_thread();
    return own->function(own->argument);
  }
};

int copy_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*function)(void*),
                        void* argument) {
  return start_thread(&calling_copy(), thread, attributes, function, argument);
}

/// Adapter for C11 threads: a POSIX thread whose result holds the function's.
struct c11_function {
  int (*function)(void*);
  void* argument;

  static void* run(void* self) {
    const std::unique_ptr<c11_function> own(static_cast<c11_function*>(self));
    return reinterpret_cast<void*>(std::intptr_t{own->function(own->argument)});
  }
};

int copy_thrd_create(thrd_t* thread, int (*function)(void*), void* argument) {
  auto started = std::make_unique<c11_function>(c11_function{function, argument});
  const int result = copy_pthread_create(thread, nullptr, &c11_function::run, started.get());
  if (result != 0) return result == ENOMEM ? thrd_nomem : thrd_error;
  (void)started.release();
  return thrd_success;
}

// Values of keys belong to the copy while it runs, and move with it to other threads.
using key_values = std::unordered_map<pthread_key_t, const void*>;

key_values* own_values() {
  copy_state& s = calling_copy();
  return s.runs_here() ? &s.library->keys.values : nullptr;
}
void* copy_pthread_getspecific(pthread_key_t key) {
  const key_values* const own = own_values();
  if (own == nullptr) return ::pthread_getspecific(key);
  const auto at = own->find(key);
  return at == own->end() ? nullptr : const_cast<void*>(at->second);
}
int copy_pthread_setspecific(pthread_key_t key, const void* value) {
  key_values* const own = own_values();
  if (own == nullptr) return ::pthread_setspecific(key, value);
  (*own)[key] = value;
  return 0;
}
/// Passes over numbers that the copy has brought from another process; they are not given back.
int copy_pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  copy_state& s = calling_copy();
  if (s.memory.heap() == nullptr) return ::pthread_key_create(key, destructor);
  int error = 0;
  do error = ::pthread_key_create(key, destructor);
  while (error == 0 && s.library->keys.are_of_process.contains(*key));
  if (error == 0) s.library->keys.are_of_process[*key] = true;
  return error;
}
int copy_pthread_key_delete(pthread_key_t key) {
  if (key_values* const own = own_values()) own->erase(key);
  auto& keys = calling_copy().library->keys.are_of_process;
  const auto at = keys.find(key);
  const bool is_brought = at != keys.end() && !at->second;
  if (at != keys.end()) keys.erase(at);
  return is_brought ? 0 : ::pthread_key_delete(key);
}

}  // namespace

int start_thread(copy_state* owner, pthread_t* thread, const pthread_attr_t* attributes,
                 void* (*function)(void*), void* argument) {
  using create_function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<create_function>(::dlsym(RTLD_NEXT, "pthread_create"));
  if (owner == nullptr) return next(thread, attributes, function, argument);
  owner->has_threads = true;
  if (program_heap* const heap = owner->memory.heap()) heap->share();
  auto started = std::make_unique<thread_of_copy>(thread_of_copy{*owner, function, argument});
  const int result = next(thread, attributes, &thread_of_copy::run, started.get());
  if (result == 0) (void)started.release();
  return result;
}

void add_threads(function_table& table) {
  table.insert({
      {"pthread_create", address_outside<&copy_pthread_create>()},
      {"thrd_create", address_outside<&copy_thrd_create>()},
      {"pthread_getspecific", address_outside<&copy_pthread_getspecific>()},
      {"pthread_setspecific", address_outside<&copy_pthread_setspecific>()},
      {"pthread_key_create", address_outside<&copy_pthread_key_create>()},
      {"pthread_key_delete", address_outside<&copy_pthread_key_delete>()},
  });
}

}  // namespace imbrex::mpi
