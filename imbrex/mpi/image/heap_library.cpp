// SPDX-License-Identifier: Apache-2.0
// A library by itself, loaded before the program: malloc and its relatives for copies with heaps of their
// own.
#include <imbrex/mpi/image/heap_library.hpp>

#include <dlfcn.h>
#include <malloc.h>

#include <bit>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include <imbrex/mpi/image/internal/pages.hpp>
#include <imbrex/mpi/image/program_heap.hpp>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

namespace imbrex::mpi {

namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local program_heap* chosen = nullptr;
constinit heap_area area;

/// The heap that a block is in; null: the process' heap.
program_heap* heap_of(const void* block) {
  const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(block) - area.begin;
  if (place >= area.bytes) [[likely]]
    return nullptr;
  return reinterpret_cast<program_heap*>(area.begin + place / area.part * area.part + area.at);
}

/// Like malloc, at the end of which errno tells that memory is short.
void* noted(void* block) {
  if (block == nullptr) errno = ENOMEM;
  return block;
}

void* aligned(std::size_t alignment, std::size_t bytes) {
  if (chosen == nullptr) return __libc_memalign(alignment, bytes);
  return noted(chosen->allocate_aligned(bytes, alignment));
}

}  // namespace

}  // namespace imbrex::mpi

#define EXPORTED extern "C" [[gnu::visibility("default")]]

EXPORTED const imbrex::mpi::heap_library imbrex_heap_library{
    [](const imbrex::mpi::heap_area& of_copies) { imbrex::mpi::area = of_copies; },
    [](imbrex::mpi::program_heap* heap) { return std::exchange(imbrex::mpi::chosen, heap); }};

EXPORTED void* malloc(std::size_t bytes) {
  using namespace imbrex::mpi;
  if (chosen == nullptr) return __libc_malloc(bytes);
  return noted(chosen->allocate(bytes));
}

EXPORTED void free(void* block) {
  using namespace imbrex::mpi;
  program_heap* const its = heap_of(block);
  if (its == nullptr) return __libc_free(block);
  its->free(block);
}

EXPORTED void* calloc(std::size_t count, std::size_t bytes) {
  using namespace imbrex::mpi;
  if (chosen == nullptr) return __libc_calloc(count, bytes);
  std::size_t all = 0;
  return noted(__builtin_mul_overflow(count, bytes, &all) ? nullptr : chosen->allocate_zeroed(all));
}

EXPORTED void* realloc(void* block, std::size_t bytes) {
  using namespace imbrex::mpi;
  if (block == nullptr) return malloc(bytes);
  program_heap* const its = heap_of(block);
  if (its == nullptr) return __libc_realloc(block, bytes);
  if (bytes > 0) return noted(its->reallocate(block, bytes));
  its->free(block);
  return nullptr;
}

EXPORTED void* reallocarray(void* block, std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  return __builtin_mul_overflow(count, bytes, &all) ? imbrex::mpi::noted(nullptr) : realloc(block, all);
}

EXPORTED void* memalign(std::size_t alignment, std::size_t bytes) {
  return imbrex::mpi::aligned(alignment, bytes);
}

EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return imbrex::mpi::aligned(alignment, bytes);
}

EXPORTED int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int before = errno;
  void* const found = imbrex::mpi::aligned(alignment, bytes);
  errno = before;
  if (found == nullptr) return ENOMEM;
  *block = found;
  return 0;
}

EXPORTED void* valloc(std::size_t bytes) { return imbrex::mpi::aligned(imbrex::mpi::page_size(), bytes); }

EXPORTED void* pvalloc(std::size_t bytes) {
  return imbrex::mpi::aligned(imbrex::mpi::page_size(), imbrex::mpi::page_end(bytes));
}

EXPORTED std::size_t malloc_usable_size(void* block) {
  using namespace imbrex::mpi;
  if (block == nullptr) return 0;
  if (const program_heap* const its = heap_of(block)) return its->bytes_of(block);
  using function = std::size_t (*)(void*);
  static const auto next = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "malloc_usable_size"));
  return next(block);
}
