// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/start.hpp>

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/heap_library.hpp>
#include <imbrex/mpi/image/internal/pages.hpp>
#include <imbrex/mpi/image/internal/process_descriptors.hpp>

namespace imbrex::mpi {

namespace {

using constructors = int (*)(int, char**, char**);
using start_function = int (*)(int (*)(int, char**, char**), int, char**, constructors, void (*)(),
                               void (*)(), void*);

program_start started;
constructors legacy_constructors = nullptr;  // set for programs linked with a C library before 2.34
std::vector<void*> destructors;              // the program's destructors while its table lacks them

/// The program's own dynamic section in memory.
struct original_program {
  std::uintptr_t base = 0;
  ElfW(Dyn) * dynamic = nullptr;
};

int note_program(dl_phdr_info* info, std::size_t, void* into) {
  auto& program = *static_cast<original_program*>(into);
  program.base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      program.dynamic = reinterpret_cast<ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  return 1;  // the first module is the program
}

original_program original() {
  original_program program;
  ::dl_iterate_phdr(&note_program, &program);
  return program;
}

template <class Function>
void each_of_array(const original_program& program, std::int64_t place, std::int64_t size,
                   Function function) {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  for (const ElfW(Dyn)* entry = program.dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == place) begin = program.base + entry->d_un.d_ptr;
    if (entry->d_tag == size) bytes = entry->d_un.d_val;
  }
  for (auto at = begin; at < begin + bytes; at += sizeof(void*)) function(reinterpret_cast<void**>(at));
}

int no_constructors(int, char**, char**) { return 0; }
void no_destructor() {}

void make_writable(void** entry) {
  const auto begin = reinterpret_cast<std::uintptr_t>(entry);
  if (::mprotect(reinterpret_cast<void*>(page_begin(begin)), page_size(), PROT_READ | PROT_WRITE) != 0)
    throw error(std::string("the program's table of destructors cannot be changed: ") + std::strerror(errno));
}

/// Removes the program's destructors from its table: the system's loader calls them at every end of the
/// process. Until the program itself has run, there is nothing to destruct.
void put_destructors_aside() {
  each_of_array(original(), DT_FINI_ARRAY, DT_FINI_ARRAYSZ, [](void** entry) {
    make_writable(entry);
    destructors.push_back(std::exchange(*entry, reinterpret_cast<void*>(&no_destructor)));
  });
}

void put_destructors_back() {
  std::size_t next = 0;
  each_of_array(original(), DT_FINI_ARRAY, DT_FINI_ARRAYSZ,
                [&](void** entry) { *entry = destructors[next++]; });
}

/// Removes this library, and that of the copies' heaps, from LD_PRELOAD: child programs are no ranks of this
/// run.
void leave_preload_of_children() {
  const char* const listed = std::getenv("LD_PRELOAD");
  Dl_info self{};
  if (listed == nullptr || ::dladdr(reinterpret_cast<void*>(&put_destructors_back), &self) == 0) return;
  std::error_code problem;
  std::string others;
  for (std::string_view rest = listed; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(": "), rest.size());
    const std::string_view name = rest.substr(0, end);
    const bool is_of_runtime = std::filesystem::equivalent(name, self.dli_fname, problem) ||
                               std::filesystem::path(name).filename() == file_of_heap_library;
    if (!name.empty() && !is_of_runtime) others += (others.empty() ? "" : ":") + std::string(name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (others.empty())
    ::unsetenv("LD_PRELOAD");
  else
    ::setenv("LD_PRELOAD", others.c_str(), 1);
}

int begin(int argc, char** argv, char** environment) {
  started.argc = argc;
  started.argv = argv;
  started.environment = environment;
  leave_preload_of_children();
  put_destructors_aside();
  return run_program(started);
}

}  // namespace

int program_start::call_original() const {
  process_descriptors::note();
  put_destructors_back();
  if (legacy_constructors != nullptr) {
    legacy_constructors(argc, argv, environment);
  } else {
    const original_program program = original();
    for (const ElfW(Dyn)* entry = program.dynamic; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_INIT)
        reinterpret_cast<void (*)(int, char**, char**)>(program.base + entry->d_un.d_ptr)(argc, argv,
                                                                                          environment);
    each_of_array(program, DT_INIT_ARRAY, DT_INIT_ARRAYSZ, [this](void** entry) {
      reinterpret_cast<void (*)(int, char**, char**)>(*entry)(argc, argv, environment);
    });
  }
  return main(argc, argv, environment);
}

}  // namespace imbrex::mpi

/// Called by a program's first instructions with its main. The C library's function does all the rest, except
/// the program's constructors, which run in each copy.
extern "C" [[gnu::visibility("default")]] int __libc_start_main(int (*main)(int, char**, char**), int argc,
                                                                char** argv, imbrex::mpi::constructors init,
                                                                void (*fini)(), void (*rtld_fini)(),
                                                                void* stack_end) {
  using namespace imbrex::mpi;
  started.main = main;
  legacy_constructors = init;
  const auto next = reinterpret_cast<start_function>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(&begin, argc, argv, &no_constructors, fini, rtld_fini, stack_end);
}
