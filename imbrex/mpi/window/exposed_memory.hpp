// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include <imbrex/mpi/datatype/pack.hpp>

namespace imbrex::mpi {

/// The range of bytes that `count` elements of a type span, relative to the origin of the first.
struct byte_range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};
/// Throws mpi::error (MPI_ERR_RMA_RANGE) if the range exceeds 63 bits.
byte_range range_of(const datatype& type, std::int64_t count);

/// The memory that a rank exposes in a window. All ranks of the same process access it directly, on any of
/// their threads.
class exposed_memory {
 public:
  /// Memory of `size` bytes, addressed by offsets.
  exposed_memory(std::byte* base, std::int64_t size) : base_(base), size_(size) {}
  /// Memory of a dynamic window: the attached ranges, addressed by addresses.
  exposed_memory() : is_dynamic_(true) {}
  exposed_memory(const exposed_memory&) = delete;
  exposed_memory& operator=(const exposed_memory&) = delete;

  std::byte* base() const { return base_; }
  std::int64_t size() const { return size_; }
  /// Sets the address, before the window is complete.
  void place(std::byte* base) { base_ = base; }

  /// Throw mpi::error (MPI_ERR_RMA_ATTACH): `attach` if the range overlaps an attached one, `detach` if no
  /// range at the address is attached.
  void attach(void* at, std::int64_t bytes);
  void detach(const void* at);

  /// The address of an offset (or address) in the memory. Throws mpi::error (MPI_ERR_RMA_RANGE) unless all
  /// `count` elements lie in the memory.
  std::byte* reach(std::int64_t place, const datatype& type, std::int64_t count) const;

  /// Every accumulate holds this mutex, so that accumulates are atomic with respect to each other.
  std::mutex& accumulates() const { return accumulates_; }

 private:
  std::byte* base_ = nullptr;
  std::int64_t size_ = 0;
  bool is_dynamic_ = false;
  std::map<std::uintptr_t, std::int64_t> attached_;  ///< guarded by the mutex
  mutable std::mutex accumulates_;
};

}  // namespace imbrex::mpi
