// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace imbrex::mpi {

class program_heap;

/// The heaps of copies in an address range: one in each of its equal parts, at the same distance from the
/// begin.
struct heap_area {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  std::size_t part = 1;
  std::size_t at = 0;
};

/// The functions of the library that is loaded before a program whose copies have heaps of their own. It has
/// malloc and its relatives. On a thread that has chosen a heap, they allocate there.
struct heap_library {
  /// Where heaps are; before the first is chosen.
  void (*set_area)(const heap_area& area);
  /// Chooses a heap for this thread, or the process' one (null); returns the former one.
  program_heap* (*choose)(program_heap* heap);
};

inline constexpr const char* file_of_heap_library = "libimbrex_mpi_heap.so";
/// Name of the library's only variable, a `heap_library`.
inline constexpr const char* name_of_heap_library = "imbrex_heap_library";

}  // namespace imbrex::mpi
