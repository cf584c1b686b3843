// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include <imbrex/mpi/image/program_heap.hpp>

namespace imbrex::mpi {

class copy_area;

/// Lets the copies of an area have heaps of their own. Throws error unless the library with malloc was loaded
/// before the program.
void use_heaps_of_copies(const copy_area& area);
/// Chooses a heap for this thread, or the process' one (null); returns the former one.
program_heap* choose_heap(program_heap* heap) noexcept;

/// An object in the heap of a copy, where it has the same address in each process that the copy comes to; in
/// the process' heap if the copy has none.
template <class T>
class object_of_copy {
 public:
  template <class... A>
  explicit object_of_copy(program_heap* heap, A&&... arguments) : heap_(heap) {
    void* const memory = heap == nullptr ? ::operator new(sizeof(T)) : heap->allocate(sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    object_ = ::new (memory) T(std::forward<A>(arguments)...);
  }
  ~object_of_copy() {
    object_->~T();
    if (heap_ == nullptr)
      ::operator delete(object_);
    else
      heap_->free(object_);
  }
  object_of_copy(const object_of_copy&) = delete;
  object_of_copy& operator=(const object_of_copy&) = delete;

  T& operator*() const { return *object_; }
  T* operator->() const { return object_; }

 private:
  program_heap* heap_;
  T* object_ = nullptr;
};

}  // namespace imbrex::mpi
