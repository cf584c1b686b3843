// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace minimd {

/// Allocates memory aligned to cache lines, so that the four numbers of an atom lie in one line.
template <class T>
struct line_allocator {
  using value_type = T;
  line_allocator() = default;
  template <class U>
  line_allocator(const line_allocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, std::align_val_t{64}); }
  bool operator==(const line_allocator&) const { return true; }
};

/// Four numbers for each atom: x, y, z, and an unused one.
using vectors = std::vector<double, line_allocator<double>>;

/// The atoms of a block in arrays for the loops over pairs: own atoms, then copies, then one atom farther
/// from all others than any cut-off.
struct atom_store {
  std::size_t own = 0, copies = 0;
  vectors position;  ///< own + copies + 1 atoms
  vectors velocity;  ///< own atoms
  vectors force;     ///< own + copies atoms

  std::size_t all() const { return own + copies; }
};

/// The neighbours of each own atom; each row is padded to a multiple of 8 with the far-away atom.
struct neighbour_list {
  std::vector<std::size_t> begin;  ///< own + 1 offsets into atoms
  std::vector<std::int32_t> atoms;
};

}  // namespace minimd
