// SPDX-License-Identifier: Apache-2.0
// Allocation of memory for programs.
#include <cstdlib>
#include <new>
#include <string>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/state.hpp>

namespace imbrex::mpi {

IMBREX_MPI_DEFINE(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void* baseptr)) {
  return call_running("MPI_Alloc_mem", [&](rank_data& data) {
    if (size < 0)
      throw error(MPI_ERR_ARG, "the size is " + std::to_string(size) + " bytes; it must not be negative");
    if (info != MPI_INFO_NULL) (void)data.objects().information(info);
    constexpr std::size_t alignment = 64;
    const std::size_t bytes = (std::size_t(size) + alignment) / alignment * alignment;
    void* const memory = std::aligned_alloc(alignment, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    *static_cast<void**>(baseptr) = memory;
  });
}
IMBREX_MPI_DEFINE(int, Free_mem, (void* base)) {
  return call_running("MPI_Free_mem", [&](rank_data&) { std::free(base); });
}

}  // namespace imbrex::mpi
