// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::detail {

/// Memory for messages and coroutine frames: one pool for each PE, without locks and system calls in the
/// steady state.
///
/// Blocks are divided into classes: one for each 64 bytes up to 2 KiB, and above that four for each doubling.
/// Blocks larger than `largest_pooled` go to operator new. A class keeps its maximum of memory until the pool
/// ends.
///
/// A block released by another PE returns to its owner. The releasing PE collects blocks of one owner and
/// class into a chain, and pushes the chain to the owner's `returned_`. The owner takes all chains of a class
/// as its free list when the class is empty. No thread walks a chain: its blocks are in another core's cache,
/// and each step would wait for one. Without this return, a stream of messages from one PE to another would
/// grow memory for ever.
///
/// Access: everything belongs to the owner thread, except for `returned_`. Any thread pushes to it (release),
/// and the owner takes everything from it (acquire). No item is popped singly, so there is no ABA problem.
class pool {
 public:
  static constexpr std::size_t granule = 64;
  static constexpr std::size_t fine_classes = 32;
  static constexpr std::size_t coarse_doublings = 2;
  static constexpr std::size_t classes = fine_classes + 4 * coarse_doublings;
  /// Blocks up to this size are pooled; 0 in address-sanitized builds of the library, so that every use after
  /// free is seen.
  static const std::size_t largest_pooled;

  pool();
  ~pool();
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;

  /// The pool of the PE that runs on this thread; null on a thread that runs none.
  static pool* current() { return current_; }
  /// Makes a pool this thread's. Returns the earlier one.
  static pool* set_current(pool* p) {
    pool* before = current_;
    current_ = p;
    return before;
  }

  /// Allocates a block of at least that many bytes, aligned to 64; for 0 bytes a block that no pool keeps.
  /// Any thread. Throws std::bad_alloc.
  static void* allocate(std::size_t bytes) {
    return current_ != nullptr ? current_->take(bytes) : allocate_elsewhere(bytes);
  }
  /// Allocates a block as `allocate`, from this pool. Only its thread.
  void* take(std::size_t bytes) {
    if (bytes - 1 >= largest_class) [[unlikely]]
      return allocate_elsewhere(bytes);
    auto& free = free_[class_of(bytes)];
    block* const b = free;
    if (b == nullptr) [[unlikely]]
      return refill(bytes);
    free = b->next;
    __builtin_prefetch(b->next, 1);  // the next block may be in the cache of the core that released it
    return b;
  }

  /// Frees a block; `bytes` is the requested size. Any thread.
  static void release(void* p, std::size_t bytes) noexcept {
    pool* here = current_;
    if (!is_pooled(bytes) || slab_of(p)->owner != here) [[unlikely]]
      return release_elsewhere(p, bytes);
    const std::size_t c = class_of(bytes);
    auto* b = static_cast<block*>(p);
    b->next = here->free_[c];
    here->free_[c] = b;
  }

  /// Marks a block that may be freed after the end of its pool, which then keeps the memory around it. Only
  /// its owner.
  static void keep(void* p, std::size_t bytes);

  /// Returns collected blocks to their owners; before the PE sleeps.
  void flush() noexcept;

 private:
  static constexpr std::size_t class_of(std::size_t bytes) {
    const std::size_t last = bytes - 1;
    if (last < fine_classes * granule) [[likely]]
      return last / granule;
    const auto doublings = static_cast<std::size_t>(std::bit_width(last / (fine_classes * granule)) - 1);
    return fine_classes + 4 * doublings + (last >> doublings) / (fine_classes * granule / 4) - 4;
  }
  static constexpr std::size_t size_of_class(std::size_t c) {
    if (c < fine_classes) return (c + 1) * granule;
    const std::size_t coarse = c - fine_classes;
    return (4 + coarse % 4 + 1) * (fine_classes * granule / 4) << coarse / 4;
  }
  static constexpr std::size_t largest_class = (fine_classes * granule) << coarse_doublings;

  /// Compares with a constant first, since compilers that know `bytes` would warn about a class that does not
  /// exist.
  static bool is_pooled(std::size_t bytes) { return bytes - 1 < largest_class && bytes - 1 < largest_pooled; }

  struct block {
    block* next;
  };
  struct slab {
    pool* owner;
    std::size_t block_class;
  };
  struct chain {
    slab home;
    block* first;
    block* last;
    int length;
  };
  static constexpr std::size_t slab_bytes = std::size_t{1} << 18;
  static constexpr int chain_length = 32;
  /// Limit in bytes, so that fewer large blocks return together.
  static constexpr std::size_t chain_bytes = std::size_t{1} << 16;

  static slab* slab_of(void* p) {
    return reinterpret_cast<slab*>(reinterpret_cast<std::uintptr_t>(p) & ~(slab_bytes - 1));
  }
  struct remains;
  void leave_kept() noexcept;
  static void* allocate_elsewhere(std::size_t bytes);
  static void release_elsewhere(void* p, std::size_t bytes) noexcept;
  void* refill(std::size_t bytes);
  void push_returned(std::size_t block_class, block* first, block* last) noexcept;
  void send_home(void* p) noexcept;
  static void send_home(chain& c) noexcept;

  static inline constinit thread_local pool* current_ = nullptr;

  std::array<block*, classes> free_{};
  struct bump {
    std::byte* next = nullptr;
    std::byte* end = nullptr;
  };
  std::array<bump, classes> fresh_{};
  std::vector<void*> slabs_;
  std::vector<void*> kept_;
  std::array<chain, 64> outgoing_{};  // by owner and class; if two share a place, the earlier chain returns
                                      // early
  alignas(64) std::array<std::atomic<block*>, classes> returned_{};
};

}  // namespace imbrex::detail
