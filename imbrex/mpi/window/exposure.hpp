// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/rank/access_table.hpp>
#include <imbrex/mpi/window/exposed_memory.hpp>
#include <imbrex/mpi/window/window_link.hpp>

namespace imbrex::mpi {

/// The memory that a rank contributes to a new window.
struct window_memory {
  int flavour = 0;  ///< MPI_WIN_FLAVOR_...
  std::byte* base = nullptr;
  std::int64_t size = 0;
  std::int64_t unit = 1;      ///< bytes of a displacement
  bool is_contiguous = true;  ///< for a shared window: a rank's memory directly follows the previous rank's
};

/// The memory of a rank in a window, and its exchange with the other ranks.
class exposure {
 public:
  exposure(window_link& link, const window_memory& memory);

  /// Collective: all ranks learn of each other's memory. `server` receives the packets of other ranks. Throws
  /// mpi::error (MPI_ERR_RMA_SHARED) for shared memory unless all ranks are in one process.
  void meet(const window_memory& memory, access_receiver& server);

  int flavour() const { return flavour_; }
  const exposed_memory& memory() const { return *memory_; }
  // Values of the window's predefined attributes, which point to these members.
  void* base() const { return memory_->base(); }
  MPI_Aint* size() { return &size_; }
  int* unit() { return &unit_; }
  int* flavour_place() { return &flavour_; }
  int* model() { return &model_; }

  /// For dynamic windows only. Throw mpi::error.
  void attach(void* at, std::int64_t bytes);
  void detach(const void* at);
  /// The memory of a rank in a shared window. MPI_PROC_NULL stands for the first rank whose memory is not
  /// empty.
  window_memory shared_memory(int of) const;

 private:
  void share(bool is_contiguous, access_receiver& server);
  void receive_by(access_receiver& server);

  window_link& link_;
  int flavour_;
  int unit_ = 1;
  int model_;
  MPI_Aint size_ = 0;
  std::unique_ptr<exposed_memory> memory_;
  std::unique_ptr<std::byte, void (*)(void*)> own_;  ///< memory of an allocated window
};

}  // namespace imbrex::mpi
