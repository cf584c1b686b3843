// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include <imbrex/mpi/datatype/pack.hpp>

namespace imbrex::mpi {

/// The bytes that `count` of a type reach over, from the origin of the first.
struct byte_range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
/// Throws mpi::error (MPI_ERR_RMA_RANGE) if they exceed 63 bits.
byte_range range_of(const datatype& type, std::int64_t count);

/// The memory that one rank exposes in a window. Ranks of its process reach it, on any of their threads.
class exposed_memory {
 public:
  /// Of `size` bytes; the places in it are offsets.
  exposed_memory(std::byte* base, std::int64_t size) : base_(base), size_(size) {}
  /// Of what is attached; the places are addresses.
  exposed_memory() : is_dynamic_(true) {}
  exposed_memory(const exposed_memory&) = delete;
  exposed_memory& operator=(const exposed_memory&) = delete;

  std::byte* base() const { return base_; }
  std::int64_t size() const { return size_; }
  /// Before the window is made.
  void place(std::byte* base) { base_ = base; }

  /// Throw mpi::error (MPI_ERR_RMA_ATTACH) for what overlaps with what is attached, or is not.
  void attach(void* at, std::int64_t bytes);
  void detach(const void* at);

  /// The address of a place. Throws mpi::error (MPI_ERR_RMA_RANGE) if not all of `count` elements there are
  /// in the memory.
  std::byte* reach(std::int64_t place, const datatype& type, std::int64_t count) const;

  /// Held by whoever accumulates, so that each does what it does at once.
  std::mutex& accumulates() const { return accumulates_; }

 private:
  std::byte* base_ = nullptr;
  std::int64_t size_ = 0;
  bool is_dynamic_ = false;
  std::map<std::uintptr_t, std::int64_t> attached_;  ///< guarded by the mutex
  mutable std::mutex accumulates_;
};

}  // namespace imbrex::mpi
