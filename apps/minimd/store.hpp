// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace minimd {

/// Memory that begins a cache line, so that four numbers of an atom lie in one.
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

/// Four numbers for each atom: x, y, z, and one that is not used.
using vectors = std::vector<double, line_allocator<double>>;

/// The atoms of a block in arrays, as the loops over pairs want them: own ones, then copies, then one that is
/// further from all than any cut-off.
struct atom_store {
  std::size_t own = 0, copies = 0;
  vectors position;  ///< of own + copies + 1
  vectors velocity;  ///< of own
  vectors force;     ///< of own + copies

  std::size_t all() const { return own + copies; }
};

/// For each own atom those of its pairs; each row is filled up to a multiple of 8 with the atom that is far
/// away.
struct neighbour_list {
  std::vector<std::size_t> begin;  ///< of own + 1
  std::vector<std::int32_t> atoms;
};

}  // namespace minimd
