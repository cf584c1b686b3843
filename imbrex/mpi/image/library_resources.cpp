// SPDX-License-Identifier: Apache-2.0
// Notes which resources of the process a copy has: with them it cannot go to another process.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

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

void held_resources::note_child(pid_t child) {
  const std::lock_guard hold(mutex_);
  children_.insert(child);
}

std::string held_resources::words() const {
  const std::lock_guard hold(mutex_);
  for (const auto& [number, name] : descriptors_)
    if (::fcntl(number, F_GETFD) >= 0)
      return "it has the open descriptor " + std::to_string(number) + " (" + name + ")";
  if (!mappings_.empty()) return "it has mapped memory by mmap or shmat";
  for (const pid_t child : children_) {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0)
      return "it has the child process " + std::to_string(child);
  }
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

/// Replacement for a function whose result is a descriptor of a kind.
template <auto Function, const char* Kind, class... Arguments>
int result_of(Arguments... arguments) {
  held_resources* const by = noted();
  return note(by, Function(arguments...), Kind);
}
constexpr char event[] = "an event";
constexpr char event_list[] = "a list of epoll";
constexpr char clock[] = "a timer";
constexpr char signals[] = "a descriptor of signals";
constexpr char watch[] = "a watch of inotify";
constexpr char anonymous_file[] = "memory of memfd_create";

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

int copy_mkstemp(char* path) {
  held_resources* const by = noted();
  return note(by, ::mkstemp(path), path);
}
int copy_mkostemp(char* path, int flags) {
  held_resources* const by = noted();
  return note(by, ::mkostemp(path, flags), path);
}
int copy_shm_open(const char* path, int flags, mode_t access) {
  held_resources* const by = noted();
  return note(by, ::shm_open(path, flags, access), path);
}

/// The stream of the folder lies in the memory of the copy.
DIR* open_folder(const char* path) {
  const inside_program memory;
  return ::opendir(path);
}
DIR* copy_opendir(const char* path) {
  held_resources* const by = noted();
  DIR* const folder = open_folder(path);
  if (folder != nullptr) note(by, ::dirfd(folder), path);
  return folder;
}
int copy_closedir(DIR* folder) {
  if (held_resources* const by = noted(); by != nullptr) by->forget_descriptor(::dirfd(folder));
  return ::closedir(folder);
}

pid_t note_child(held_resources* by, pid_t child) {
  if (by != nullptr && child > 0) by->note_child(child);
  return child;
}
pid_t copy_fork() {
  held_resources* const by = noted();
  return note_child(by, ::fork());
}
template <auto Spawn>
int copy_spawn(pid_t* child, const char* program, const posix_spawn_file_actions_t* actions,
               const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  held_resources* const by = noted();
  pid_t own = 0;
  const int result = Spawn(&own, program, actions, attributes, arguments, environment);
  if (result == 0) note_child(by, own);
  if (result == 0 && child != nullptr) *child = own;
  return result;
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

int note_descriptor(int number, const char* name) { return note(noted(), number, name); }

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
      {"eventfd", address_outside<&result_of<&::eventfd, event, unsigned, int>>()},
      {"epoll_create", address_outside<&result_of<&::epoll_create, event_list, int>>()},
      {"epoll_create1", address_outside<&result_of<&::epoll_create1, event_list, int>>()},
      {"timerfd_create", address_outside<&result_of<&::timerfd_create, clock, int, int>>()},
      {"signalfd", address_outside<&result_of<&::signalfd, signals, int, const sigset_t*, int>>()},
      {"inotify_init", address_outside<&result_of<&::inotify_init, watch>>()},
      {"inotify_init1", address_outside<&result_of<&::inotify_init1, watch, int>>()},
      {"memfd_create", address_outside<&result_of<&::memfd_create, anonymous_file, const char*, unsigned>>()},
      {"mkstemp", address_outside<&copy_mkstemp>()},
      {"mkstemp64", address_outside<&copy_mkstemp>()},
      {"mkostemp", address_outside<&copy_mkostemp>()},
      {"mkostemp64", address_outside<&copy_mkostemp>()},
      {"shm_open", address_outside<&copy_shm_open>()},
      {"opendir", address_outside<&copy_opendir>()},
      {"closedir", address_outside<&copy_closedir>()},
      {"fork", address_outside<&copy_fork>()},
      {"posix_spawn", address_outside<&copy_spawn<&::posix_spawn>>()},
      {"posix_spawnp", address_outside<&copy_spawn<&::posix_spawnp>>()},
      {"mmap", address_outside<&copy_mmap>()},
      {"mmap64", address_outside<&copy_mmap>()},
      {"munmap", address_outside<&copy_munmap>()},
      {"shmat", address_outside<&copy_shmat>()},
      {"shmdt", address_outside<&copy_shmdt>()},
      {"dlopen", address_outside<&copy_dlopen>()},
  });
}

}  // namespace imbrex::mpi
