// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace imbrex::mpi {

struct copy_state;

/// Where the unwinder finds how to leave the functions of a module: places in a slot.
struct unwind_range {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t table;  ///< the begin of its segment PT_GNU_EH_FRAME
};

/// The addresses at which copies lie: equal slots one behind the other, so that a copy's number follows from
/// any address in it by arithmetic. While it lives, exceptions find their way through copies. One at a time.
class copy_area {
 public:
  /// Slots of at least `bytes`.
  copy_area(std::size_t bytes, std::vector<unwind_range> ranges);
  ~copy_area();

  /// Reserves the lowest free slot for a copy, without access to it. Throws error if there is none, or the
  /// machine gives no more. Any thread.
  std::byte* take(copy_state* copy);
  void give_back(std::byte* slot) noexcept;

  /// The copy in whose slot an address lies; null if there is none. Any thread, also in a signal handler.
  copy_state* copy_at(const void* address) const noexcept;
  /// Where the unwinder finds what it needs for an instruction of a copy; null if it lies in none.
  const unwind_range* range_of(const void* instruction, std::byte*& slot) const noexcept;
  /// Calls a function with each copy. In a signal handler, too.
  template <class Function>
  void for_each(Function function) const {
    for (std::size_t i = 0, n = used_.load(std::memory_order_acquire); i < n; ++i)
      if (copy_state* copy = slots_[i].load(std::memory_order_acquire)) function(*copy);
  }

  /// The area of this process; null if there is none.
  static const copy_area* current() noexcept;

 private:
  std::size_t number_of(const void* address) const noexcept;

  std::size_t bytes_;       // what a copy takes
  std::size_t slot_bytes_;  // from one to the next
  std::vector<unwind_range> ranges_;
  std::mutex mutex_;  // of who takes and gives back
  std::vector<std::atomic<copy_state*>> slots_;
  std::vector<bool> occupied_;  // by a copy, or by others whom we found there
  std::atomic<std::size_t> used_ = 0;
};

}  // namespace imbrex::mpi
