// SPDX-License-Identifier: Apache-2.0
// These functions are called by a program that runs uncopied and by libraries, the runtime among them. Only
// the program's own calls are refused.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

#include <imbrex/mpi/image/child_process.hpp>
#include <imbrex/mpi/image/internal/process_descriptors.hpp>

namespace imbrex::mpi {

namespace {

struct code_range {
  std::uintptr_t begin = UINTPTR_MAX;
  std::uintptr_t end = 0;
};

int note_program(dl_phdr_info* info, std::size_t, void* into) {
  auto& range = *static_cast<code_range*>(into);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    range.begin = std::min(range.begin, info->dlpi_addr + segment.p_vaddr);
    range.end = std::max(range.end, info->dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  return 1;  // the first module is the program
}

bool is_of_program(const void* caller) {
  static const code_range program = [] {
    code_range found;
    ::dl_iterate_phdr(&note_program, &found);
    return found;
  }();
  const auto place = reinterpret_cast<std::uintptr_t>(caller);
  return place >= program.begin && place < program.end;
}

bool refuses(const void* caller, int descriptor) {
  if (!is_of_program(caller) || is_child() || !process_descriptors::holds(descriptor)) return false;
  errno = EBADF;
  return true;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

}  // namespace imbrex::mpi

extern "C" {

[[gnu::visibility("default")]] int close(int descriptor) {
  static const auto close_any = imbrex::mpi::next<int(int)>("close");
  return imbrex::mpi::refuses(__builtin_return_address(0), descriptor) ? -1 : close_any(descriptor);
}

[[gnu::visibility("default")]] int dup2(int from, int to) noexcept {
  static const auto dup_any = imbrex::mpi::next<int(int, int)>("dup2");
  return from != to && imbrex::mpi::refuses(__builtin_return_address(0), to) ? -1 : dup_any(from, to);
}

[[gnu::visibility("default")]] int dup3(int from, int to, int flags) noexcept {
  static const auto dup_any = imbrex::mpi::next<int(int, int, int)>("dup3");
  return imbrex::mpi::refuses(__builtin_return_address(0), to) ? -1 : dup_any(from, to, flags);
}

[[gnu::visibility("default")]] int close_range(unsigned first, unsigned last, int flags) noexcept {
  using namespace imbrex::mpi;
  static const auto close_any = next<int(unsigned, unsigned, int)>("close_range");
  return is_of_program(__builtin_return_address(0)) && !is_child()
             ? process_descriptors::close_others(close_any, first, last, flags)
             : close_any(first, last, flags);
}

[[gnu::visibility("default")]] void closefrom(int first) noexcept {
  using namespace imbrex::mpi;
  if (is_of_program(__builtin_return_address(0)) && !is_child()) {
    static const auto close_any = next<int(unsigned, unsigned, int)>("close_range");
    process_descriptors::close_others(close_any, static_cast<unsigned>(std::max(first, 0)), UINT_MAX, 0);
    return;
  }
  static const auto close_any = next<void(int)>("closefrom");
  close_any(first);
}
}
