// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace imbrex::mpi {

/// The heap of one copy of a program, in an address range of its own. All its state lies in that range. So
/// its used pages, copied to the same addresses of another process, are the same heap there.
///
/// Blocks of up to 1 KiB that are freed go to a list of their size. Others are in the tree of a best-fit
/// allocator (Boost.Interprocess). One thread at a time, until `share` was called. No function throws.
class program_heap {
 public:
  static constexpr std::size_t alignment = 16;

  /// Makes a heap in `most` reserved bytes at `begin`, a page's begin. Returns null if memory is short.
  static program_heap* make(std::byte* begin, std::size_t most) noexcept;
  program_heap(const program_heap&) = delete;

  /// Null if memory is short.
  void* allocate(std::size_t bytes) noexcept;
  void* allocate_aligned(std::size_t bytes, std::size_t aligned) noexcept;
  /// Like `allocate`; the bytes are zero.
  void* allocate_zeroed(std::size_t bytes) noexcept;
  /// Like realloc, for a block of this heap. If memory is short, returns null, and the block stays.
  void* reallocate(void* block, std::size_t bytes) noexcept;
  void free(void* block) noexcept;
  /// Bytes of a block that may be used.
  std::size_t bytes_of(const void* block) const noexcept;

  /// From now on any thread may use the heap.
  void share() noexcept { is_shared_ = true; }
  /// Makes at least the first `bytes` accessible, for those of another heap. False if memory is short.
  bool make_accessible(std::size_t bytes) noexcept;
  /// End of the bytes that the heap has used so far; they begin at the heap itself.
  std::byte* end() const noexcept;

 private:
  struct best_fit;
  class turn;

  program_heap(std::size_t bytes, std::size_t most) noexcept : bytes_(bytes), most_(most) {}

  std::byte* begin() const noexcept {
    return const_cast<std::byte*>(reinterpret_cast<const std::byte*>(this));
  }
  best_fit& tree() const noexcept;
  void* from_tree(std::size_t bytes, std::size_t aligned) noexcept;
  bool grow(std::size_t bytes) noexcept;
  void give_back(void* block, std::size_t bytes) noexcept;

  static constexpr std::size_t least = 40;  ///< the tree makes no smaller blocks
  static constexpr std::size_t largest_listed = 1024;
  static constexpr std::size_t lists = largest_listed / alignment + 1;
  static constexpr std::uint32_t most_listed = 512;  ///< blocks of a size

  struct list {
    void* first = nullptr;
    std::uint32_t blocks = 0;
  };
  list& list_of(std::size_t bytes) noexcept { return lists_[bytes / alignment]; }

  std::size_t bytes_;  ///< accessible bytes, with this object
  std::size_t most_;
  bool is_shared_ = false;
  int is_locked_ = 0;
  list lists_[lists];
};

}  // namespace imbrex::mpi
