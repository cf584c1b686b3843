// SPDX-License-Identifier: Apache-2.0
// Notes which resources of the process a copy has: with them it cannot go to another process.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include <imbrex/mpi/image/internal/copy_state.hpp>
#include <imbrex/mpi/image/internal/library_functions.hpp>

namespace imbrex::mpi {

void held_resources::note_descriptor(int number, const std::string& name) {
  const std::lock_guard hold(mutex_);
  descriptors_[number] = name;
}
void held_resources::forget_descriptor(int number) {
  const std::lock_guard hold(mutex_);
  descriptors_.erase(number);
}
void held_resources::note_mapping(void* begin) {
  const std::lock_guard hold(mutex_);
  mappings_.insert(begin);
}
void held_resources::forget_mapping(void* begin) {
  const std::lock_guard hold(mutex_);
  mappings_.erase(begin);
}
void held_resources::note_library(const std::string& name) {
  const std::lock_guard hold(mutex_);
  library_ = name;
}

std::string held_resources::words() const {
  const std::lock_guard hold(mutex_);
  for (const auto& [number, name] : descriptors_)
    if (::fcntl(number, F_GETFD) >= 0)
      return "it has the open descriptor " + std::to_string(number) + " (" + name + ")";
  if (!mappings_.empty()) return "it has mapped memory by mmap or shmat";
  if (!library_.empty()) return "it has loaded the library " + library_ + " by dlopen";
  return "";
}

namespace {

/// The resources of the calling copy, if they must be noted.
held_resources* noted() {
  copy_state& s = calling_copy();
  return s.memory.heap() == nullptr ? nullptr : &s.departure.resources;
}

int note(held_resources* by, int number, const char* name) {
  if (by != nullptr && number >= 0) by->note_descriptor(number, name);
  return number;
}

// Without O_CREAT the last argument has no meaning, and the system ignores it.
int copy_open(const char* path, int flags, mode_t access) {
  held_resources* const by = noted();
  return note(by, ::open(path, flags, access), path);
}
int copy_openat(int folder, const char* path, int flags, mode_t access) {
  held_resources* const by = noted();
  return note(by, ::openat(folder, path, flags, access), path);
}
int copy_creat(const char* path, mode_t access) {
  held_resources* const by = noted();
  return note(by, ::creat(path, access), path);
}
int copy_socket(int domain, int type, int protocol) {
  held_resources* const by = noted();
  return note(by, ::socket(domain, type, protocol), "a socket");
}
int copy_accept4(int number, sockaddr* address, socklen_t* size, int flags) {
  held_resources* const by = noted();
  return note(by, ::accept4(number, address, size, flags), "a socket");
}
int copy_accept(int number, sockaddr* address, socklen_t* size) {
  held_resources* const by = noted();
  return note(by, ::accept(number, address, size), "a socket");
}

int note_both(held_resources* by, int result, const int* ends, const char* name) {
  for (int i = 0; result == 0 && i < 2; ++i) note(by, ends[i], name);
  return result;
}
int copy_socketpair(int domain, int type, int protocol, int* ends) {
  held_resources* const by = noted();
  return note_both(by, ::socketpair(domain, type, protocol, ends), ends, "a socket");
}
int copy_pipe(int* ends) {
  held_resources* const by = noted();
  return note_both(by, ::pipe(ends), ends, "a pipe");
}
int copy_pipe2(int* ends, int flags) {
  held_resources* const by = noted();
  return note_both(by, ::pipe2(ends, flags), ends, "a pipe");
}

void* copy_mmap(void* place, std::size_t bytes, int access, int flags, int number, off_t offset) {
  held_resources* const by = noted();
  void* const begin = ::mmap(place, bytes, access, flags, number, offset);
  if (by != nullptr && begin != MAP_FAILED) by->note_mapping(begin);
  return begin;
}
int copy_munmap(void* begin, std::size_t bytes) {
  held_resources* const by = noted();
  const int result = ::munmap(begin, bytes);
  if (by != nullptr && result == 0) by->forget_mapping(begin);
  return result;
}
void* copy_shmat(int number, const void* place, int flags) {
  held_resources* const by = noted();
  void* const begin = ::shmat(number, place, flags);
  if (by != nullptr && begin != MAP_FAILED) by->note_mapping(begin);
  return begin;
}
int copy_shmdt(const void* begin) {
  held_resources* const by = noted();
  const int result = ::shmdt(begin);
  if (by != nullptr && result == 0) by->forget_mapping(const_cast<void*>(begin));
  return result;
}

void* copy_dlopen(const char* name, int flags) {
  held_resources* const by = noted();
  void* const library = ::dlopen(name, flags);
  if (by != nullptr && library != nullptr && name != nullptr) by->note_library(name);
  return library;
}

}  // namespace

void add_resources(function_table& table) {
  table.insert({
      {"open", address_outside<&copy_open>()},
      {"open64", address_outside<&copy_open>()},
      {"openat", address_outside<&copy_openat>()},
      {"openat64", address_outside<&copy_openat>()},
      {"creat", address_outside<&copy_creat>()},
      {"creat64", address_outside<&copy_creat>()},
      {"socket", address_outside<&copy_socket>()},
      {"accept", address_outside<&copy_accept>()},
      {"accept4", address_outside<&copy_accept4>()},
      {"socketpair", address_outside<&copy_socketpair>()},
      {"pipe", address_outside<&copy_pipe>()},
      {"pipe2", address_outside<&copy_pipe2>()},
      {"mmap", address_outside<&copy_mmap>()},
      {"mmap64", address_outside<&copy_mmap>()},
      {"munmap", address_outside<&copy_munmap>()},
      {"shmat", address_outside<&copy_shmat>()},
      {"shmdt", address_outside<&copy_shmdt>()},
      {"dlopen", address_outside<&copy_dlopen>()},
  });
}

}  // namespace imbrex::mpi
