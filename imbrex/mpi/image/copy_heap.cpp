// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/copy_heap.hpp>

#include <dlfcn.h>

#include <cstdlib>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/heap_library.hpp>
#include <imbrex/mpi/image/heap_switch.hpp>
#include <imbrex/mpi/image/internal/copy_state.hpp>

namespace imbrex::mpi {

namespace {

const heap_library* library = nullptr;

bool leave() noexcept { return library->choose(nullptr) != nullptr; }
void enter() noexcept {
  if (const copy_state* const running = running_state()) library->choose(running->memory.heap());
}
constexpr heap_switch switches{&leave, &enter};

}  // namespace

program_heap* choose_heap(program_heap* heap) noexcept {
  return library == nullptr ? nullptr : library->choose(heap);
}

void use_heaps_of_copies(const copy_area& area) {
  library = static_cast<const heap_library*>(::dlsym(RTLD_DEFAULT, name_of_heap_library));
  Dl_info of_library{}, of_malloc{};
  const bool is_first = library != nullptr && ::dladdr(library, &of_library) != 0 &&
                        ::dladdr(::dlsym(RTLD_DEFAULT, "malloc"), &of_malloc) != 0 &&
                        of_library.dli_fbase == of_malloc.dli_fbase;
  if (!is_first)
    throw usage_error(
        library == nullptr
            ? "--migratable: the library of the ranks' heaps was not loaded before the program; start it by "
              "imbrex run --migratable"
            : "--migratable: malloc is that of " + std::string(of_malloc.dli_fname) +
                  ", and ranks need heaps of their own; start the program without that library");
  library->set_area({area.begin(), area.slots() * area.slot_bytes(), area.slot_bytes(), area.heap_at()});
  switch_of_heaps = &switches;
}

}  // namespace imbrex::mpi
