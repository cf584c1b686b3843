// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace imbrex::mpi {

/// Switches a thread between the heap of the program's copy that runs on it and the heap of the process.
struct heap_switch {
  /// Chooses the process' heap. True if the thread had the copy's.
  bool (*leave)() noexcept;
  /// Chooses the heap of the copy that runs here, if any.
  void (*enter)() noexcept;
};

/// Null as long as copies have no heaps of their own. Set before the first copy runs.
inline constinit const heap_switch* switch_of_heaps = nullptr;

/// While it lives, memory that this thread allocates belongs to the process and not to the copy that has
/// called. The copy may continue on another thread meanwhile.
class outside_program {
 public:
  outside_program() noexcept {
    if (switch_of_heaps != nullptr) [[unlikely]]
      was_inside_ = switch_of_heaps->leave();
  }
  ~outside_program() {
    if (was_inside_) [[unlikely]]
      switch_of_heaps->enter();
  }
  outside_program(const outside_program&) = delete;
  outside_program& operator=(const outside_program&) = delete;

 private:
  bool was_inside_ = false;
};

/// While it lives, memory that this thread allocates belongs to the copy that runs on it: for functions of
/// the program that the runtime calls.
class inside_program {
 public:
  inside_program() noexcept {
    if (switch_of_heaps != nullptr) [[unlikely]]
      switch_of_heaps->enter();
  }
  ~inside_program() {
    if (switch_of_heaps != nullptr) [[unlikely]]
      switch_of_heaps->leave();
  }
  inside_program(const inside_program&) = delete;
  inside_program& operator=(const inside_program&) = delete;
};

}  // namespace imbrex::mpi
