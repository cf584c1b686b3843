// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>

#include <imbrex/device/pooled_memory.hpp>

namespace imbrex::mpi {

/// Device memory that a program has allocated.
class device_blocks {
 public:
  /// Throws mpi::error (MPI_ERR_NO_MEM) if the device has no room.
  void* take(device& of, std::size_t bytes);
  /// Throws mpi::error (MPI_ERR_BASE) for an address that `take` has not returned or that is free already.
  void give_back(void* address);
  std::size_t size() const { return blocks_.size(); }

 private:
  std::map<void*, detail::pooled_memory> blocks_;
};

}  // namespace imbrex::mpi
