// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include <imbrex/mpi/image/program_heap.hpp>

namespace imbrex::mpi {

class copy_area;
struct copy_state;

/// The addresses of a copy, and its heap there, as long as this object lives.
class copy_memory {
 public:
  /// As `copy_area::take`; also throws error if there is no memory for the heap.
  copy_memory(copy_area& area, copy_state* owner, std::optional<std::size_t> number);
  ~copy_memory();
  copy_memory(const copy_memory&) = delete;
  copy_memory& operator=(const copy_memory&) = delete;

  std::byte* slot() const { return slot_; }
  /// Null if the memory of the program is in the process' heap.
  program_heap* heap() const { return heap_; }

 private:
  copy_area& area_;
  std::byte* slot_;
  program_heap* heap_ = nullptr;
};

}  // namespace imbrex::mpi
