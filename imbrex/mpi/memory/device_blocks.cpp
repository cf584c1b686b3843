// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/memory/device_blocks.hpp>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

void* device_blocks::take(device& of, std::size_t bytes) {
  try {
    detail::pooled_memory block(of, memory_kind::device, bytes, 1);
    void* const address = block.address();
    blocks_.emplace(address, std::move(block));
    return address;
  } catch (const device_out_of_memory& e) {
    throw error(MPI_ERR_NO_MEM, e.what());
  }
}

void device_blocks::give_back(void* address) {
  if (blocks_.erase(address) == 0)
    throw error(MPI_ERR_BASE,
                "the address is none that MPIX_Device_malloc has given this rank, or it was freed before");
}

}  // namespace imbrex::mpi
