// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/program_heap.hpp>

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <new>

#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>

#include <imbrex/mpi/image/internal/pages.hpp>

namespace imbrex::mpi {

namespace {

using allocator = boost::interprocess::rbtree_best_fit<boost::interprocess::null_mutex_family, void*>;

constexpr std::size_t first_bytes = std::size_t{1} << 20U;
/// Freed blocks of this size give their pages back to the system.
constexpr std::size_t least_returned = std::size_t{1} << 20U;
/// Bytes around a free block's memory in which the tree keeps its links.
constexpr std::size_t links = 64;

std::size_t whole(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

struct program_heap::best_fit : allocator {
  using allocator::allocator;
};

/// A thread's turn at a heap that several threads use.
class program_heap::turn {
 public:
  explicit turn(program_heap& at) noexcept : heap_(at.is_shared_ ? &at : nullptr) {
    if (heap_ == nullptr) [[likely]]
      return;
    while (std::atomic_ref(heap_->is_locked_).exchange(1, std::memory_order_acquire) != 0) ::sched_yield();
  }
  ~turn() {
    if (heap_ != nullptr) std::atomic_ref(heap_->is_locked_).store(0, std::memory_order_release);
  }
  turn(const turn&) = delete;

 private:
  program_heap* heap_;
};

program_heap* program_heap::make(std::byte* begin, std::size_t most) noexcept {
  if (most < first_bytes || ::mprotect(begin, first_bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
  auto* const heap = ::new (begin) program_heap(first_bytes, most);
  const std::size_t own = whole(sizeof(program_heap), alignment);
  ::new (begin + own) best_fit(first_bytes - own, 0);
  return heap;
}

program_heap::best_fit& program_heap::tree() const noexcept {
  return *std::launder(reinterpret_cast<best_fit*>(begin() + whole(sizeof(program_heap), alignment)));
}

bool program_heap::make_accessible(std::size_t bytes) noexcept {
  return bytes <= most_ && ::mprotect(begin(), bytes, PROT_READ | PROT_WRITE) == 0;
}

std::byte* program_heap::end() const noexcept { return begin() + bytes_; }

std::size_t program_heap::bytes_of(const void* block) const noexcept { return tree().size(block); }

bool program_heap::grow(std::size_t bytes) noexcept {
  const std::size_t wish = std::max(whole(bytes, first_bytes), std::min(bytes_ / 4, std::size_t{64} << 20U));
  const std::size_t more = std::min(whole(wish, first_bytes), (most_ - bytes_) / first_bytes * first_bytes);
  if (more < bytes || ::mprotect(end(), more, PROT_READ | PROT_WRITE) != 0) return false;
  tree().grow(more);
  bytes_ += more;
  return true;
}

void* program_heap::from_tree(std::size_t bytes, std::size_t aligned) noexcept {
  if (bytes > most_ || aligned > most_) return nullptr;
  const auto attempt = [&] {
    return aligned > alignment ? tree().allocate_aligned(bytes, aligned) : tree().allocate(bytes);
  };
  if (void* const found = attempt()) return found;
  return grow(bytes + aligned + first_bytes / 16) ? attempt() : nullptr;
}

void* program_heap::allocate(std::size_t bytes) noexcept {
  if (bytes > most_) return nullptr;  // rounding up could overflow
  const turn own(*this);
  // The tree makes blocks of 40, 56, 72, ... bytes.
  const std::size_t taken = bytes <= least ? least : whole(bytes - least, alignment) + least;
  if (taken <= largest_listed) {
    list& of_size = list_of(taken);
    if (void* const block = of_size.first) {
      std::memcpy(&of_size.first, block, sizeof of_size.first);
      --of_size.blocks;
      return block;
    }
  }
  return from_tree(taken, alignment);
}

void* program_heap::allocate_aligned(std::size_t bytes, std::size_t aligned) noexcept {
  if (aligned <= alignment) return allocate(bytes);
  const turn own(*this);
  return from_tree(bytes, aligned);
}

void* program_heap::allocate_zeroed(std::size_t bytes) noexcept {
  void* const block = allocate(bytes);
  if (block != nullptr) std::memset(block, 0, bytes);
  return block;
}

void* program_heap::reallocate(void* block, std::size_t bytes) noexcept {
  const std::size_t before = bytes_of(block);
  if (bytes <= before && bytes >= before / 2) return block;
  if (before > largest_listed && bytes > before) {
    const turn own(*this);
    std::size_t received = std::max(bytes, before + before / 2);
    void* reused = block;
    if (tree().raw_allocation_command(
            boost::interprocess::expand_fwd | boost::interprocess::nothrow_allocation, bytes, received,
            reused) != nullptr)
      return block;
  }
  void* const moved = allocate(bytes);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(before, bytes));
  free(block);
  return moved;
}

void program_heap::free(void* block) noexcept {
  const turn own(*this);
  const std::size_t bytes = bytes_of(block);
  if (bytes <= largest_listed) {
    list& of_size = list_of(bytes);
    if (of_size.blocks < most_listed) {
      std::memcpy(block, &of_size.first, sizeof of_size.first);
      of_size.first = block;
      ++of_size.blocks;
      return;
    }
  }
  tree().deallocate(block);
  if (bytes >= least_returned) give_back(block, bytes);
}

/// Only whole pages without links of the tree.
void program_heap::give_back(void* block, std::size_t bytes) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t first = page_end(at + links), last = page_begin(at + bytes - links);
  if (last > first) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace imbrex::mpi
