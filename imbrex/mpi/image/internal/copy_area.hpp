// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

namespace imbrex::mpi {

struct copy_state;

/// Unwind table of a module's code: offsets in a slot.
struct unwind_range {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t table;  ///< begin of the segment PT_GNU_EH_FRAME
};

/// The part of a slot behind the image of a copy, if copies keep their addresses in all processes of a job.
struct slot_extension {
  std::size_t slots = 0;  ///< slots that the area must have; 0: slots have no extension
  std::size_t stack = 0;  ///< bytes for a stack with its guard pages
};

/// Address range of all copies: consecutive slots of equal size, so that any address in a copy yields its
/// slot number by arithmetic. The unwinder finds copies while this object lives. One at a time.
class copy_area {
 public:
  /// Makes slots of at least `bytes`. With an extension, stack and heap of a copy follow, and the heaps share
  /// the addresses that are left. Throws error if those are too few.
  copy_area(std::size_t bytes, std::vector<unwind_range> ranges, const slot_extension& more = {});
  ~copy_area();

  /// Reserves slot `number`, or the lowest free slot, for a copy, without access rights. Throws error if it
  /// is taken, if all slots are, or if the system provides no more addresses. Any thread.
  std::byte* take(copy_state* copy, std::optional<std::size_t> number);
  void give_back(std::byte* slot) noexcept;

  /// The copy in whose slot an address lies; null if there is none. Any thread; signal handlers may call it.
  copy_state* copy_at(const void* address) const noexcept;
  /// The unwind table for an instruction of a copy; null if the instruction lies in none.
  const unwind_range* range_of(const void* instruction, std::byte*& slot) const noexcept;
  /// Calls a function with each copy. Signal handlers may call it.
  template <class Function>
  void for_each(Function function) const {
    for (std::size_t i = 0, n = used_.load(std::memory_order_acquire); i < n; ++i)
      if (copy_state* copy = slots_[i].load(std::memory_order_acquire)) function(*copy);
  }

  /// Where the stack and the heap of a copy begin in its slot, if slots have an extension.
  std::size_t stack_at() const noexcept { return stack_at_; }
  std::size_t heap_at() const noexcept { return heap_at_; }
  std::size_t heap_bytes() const noexcept { return heap_at_ == 0 ? 0 : bytes_ - heap_at_; }
  std::uintptr_t begin() const noexcept;
  std::size_t slot_bytes() const noexcept { return slot_bytes_; }
  std::size_t slots() const noexcept { return slots_.size(); }

  /// The area of this process; null if there is none.
  static const copy_area* current() noexcept;

 private:
  std::size_t number_of(const void* address) const noexcept;
  bool reserve(std::size_t number, copy_state* copy);

  std::size_t stack_at_ = 0;
  std::size_t heap_at_ = 0;
  std::size_t bytes_;       // bytes that a copy reserves
  std::size_t slot_bytes_;  // distance of consecutive slots
  std::vector<unwind_range> ranges_;
  std::mutex mutex_;  // guards `take` and `give_back`
  std::vector<std::atomic<copy_state*>> slots_;
  std::vector<bool> occupied_;  // by a copy, or by a foreign mapping found there
  std::atomic<std::size_t> used_ = 0;
};

}  // namespace imbrex::mpi
