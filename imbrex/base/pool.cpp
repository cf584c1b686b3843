// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/pool.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <unordered_map>

#include <imbrex/base/out_of_memory.hpp>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IMBREX_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define IMBREX_ADDRESS_SANITIZER 1
#endif

namespace imbrex::detail {

#if defined(IMBREX_ADDRESS_SANITIZER)
const std::size_t pool::largest_pooled = 0;
#else
const std::size_t pool::largest_pooled = pool::largest_class;
#endif

namespace {

/// Smallest size of blocks that begin on pages. Reason: the kernel's copy from another process takes five
/// times as long if the destination is 1 to 31 bytes further within its page than the source
/// (process_vm_readv of 2 MiB: 1,400 us, else 250).
constexpr std::size_t shortest_on_pages = std::size_t{1} << 16U;
constexpr std::size_t page = 4096;

std::size_t alignment_of_large(std::size_t bytes) { return bytes < shortest_on_pages ? pool::granule : page; }

#if defined(IMBREX_ADDRESS_SANITIZER)

void* allocate_large(std::size_t bytes) {
  return ::operator new(bytes, std::align_val_t{alignment_of_large(bytes)});
}
void release_large(void* p, std::size_t bytes) noexcept {
  ::operator delete(p, std::align_val_t{alignment_of_large(bytes)});
}

#else

/// Allocates without the aligned operator new: glibc before 2.38 does not reuse its memory for the next block
/// of that size.
void* allocate_large(std::size_t bytes) {
  const std::size_t alignment = alignment_of_large(bytes);
  void* const whole = ::operator new(sizeof whole + alignment + bytes);
  const auto first =
      (reinterpret_cast<std::uintptr_t>(whole) + sizeof whole + alignment - 1) & ~(alignment - 1);
  std::memcpy(reinterpret_cast<void*>(first - sizeof whole), &whole, sizeof whole);
  return reinterpret_cast<void*>(first);
}
void release_large(void* p, std::size_t) noexcept {
  void* whole = nullptr;
  std::memcpy(&whole, static_cast<std::byte*>(p) - sizeof whole, sizeof whole);
  ::operator delete(whole);
}

#endif

/// The pool of threads that run no PE: rarely used, so a lock suffices.
struct shared_pool {
  std::mutex lock;
  pool blocks;
};

shared_pool& outside() {
  static auto* const p =
      new shared_pool;  // never destroyed: static objects may release blocks after it would be
  return *p;
}

}  // namespace

/// The slabs of ended pools whose blocks were not all returned, each with the number of missing blocks. The
/// blocks return to a pool that is never destroyed.
struct pool::remains {
  std::mutex lock;
  pool returns;
  std::unordered_map<slab*, std::size_t> missing;

  static remains& of_all_pools() {
    static auto* const r = new remains;
    return *r;
  }

  /// Only under the lock.
  void free_complete() noexcept {
    for (auto& returned : returns.returned_)
      for (block* b = returned.exchange(nullptr, std::memory_order_acquire); b != nullptr;) {
        block* const next = b->next;
        const auto whole = missing.find(slab_of(b));
        if (--whole->second == 0) {
          std::free(whole->first);
          missing.erase(whole);
        }
        b = next;
      }
  }
};

pool::pool() = default;

pool::~pool() {
  if (!kept_.empty()) leave_kept();
  for (void* s : slabs_) std::free(s);
}

void pool::keep(void* p, std::size_t bytes) {
  if (is_pooled(bytes)) slab_of(p)->owner->kept_.push_back(p);
}

void pool::leave_kept() noexcept {
  auto& all = remains::of_all_pools();
  const std::lock_guard hold(all.lock);
  all.free_complete();
  for (void* const p : kept_) {
    slab* const around = slab_of(p);
    ++all.missing[around];
    around->owner = &all.returns;
    std::erase(slabs_, around);
  }
}

void* pool::allocate_elsewhere(std::size_t bytes) {
  if (bytes - 1 >= largest_pooled) return allocate_large(bytes);
  auto& shared = outside();
  const std::lock_guard hold(shared.lock);
  pool* before = set_current(&shared.blocks);
  void* p = nullptr;
  try {
    p = allocate(bytes);
  } catch (...) {
    set_current(before);
    throw;
  }
  set_current(before);
  return p;
}

void pool::release_elsewhere(void* p, std::size_t bytes) noexcept {
  if (bytes - 1 >= largest_pooled) return release_large(p, bytes);
  if (current_ != nullptr) return current_->send_home(p);
  auto* b = static_cast<block*>(p);
  const slab home = *slab_of(p);
  home.owner->push_returned(home.block_class, b, b);
}

void pool::send_home(void* p) noexcept {
  const slab home = *slab_of(p);
  const auto place = reinterpret_cast<std::uintptr_t>(home.owner) / alignof(pool) + 7 * home.block_class;
  auto& c = outgoing_[place % outgoing_.size()];
  if (c.length > 0 && (c.home.owner != home.owner || c.home.block_class != home.block_class)) send_home(c);
  auto* b = static_cast<block*>(p);
  if (c.length == 0) {
    c.home = home;
    c.last = b;
  }
  b->next = c.first;
  c.first = b;
  ++c.length;
  const std::size_t size = size_of_class(home.block_class);
  if (c.length == chain_length || static_cast<std::size_t>(c.length) * size >= chain_bytes) send_home(c);
}

void pool::send_home(chain& c) noexcept {
  c.home.owner->push_returned(c.home.block_class, c.first, c.last);
  c = {};
}

void pool::flush() noexcept {
  for (auto& c : outgoing_)
    if (c.length > 0) send_home(c);
}

void pool::push_returned(std::size_t block_class, block* first, block* last) noexcept {
  auto& returned = returned_[block_class];
  block* seen = returned.load(std::memory_order_relaxed);
  do {
    last->next = seen;
  } while (
      !returned.compare_exchange_weak(seen, first, std::memory_order_release, std::memory_order_relaxed));
}

void* pool::refill(std::size_t bytes) {
  if (!is_pooled(bytes)) return allocate_large(bytes);
  const std::size_t c = class_of(bytes);
  if (returned_[c].load(std::memory_order_relaxed) != nullptr) {
    block* b = returned_[c].exchange(nullptr, std::memory_order_acquire);
    free_[c] = b->next;
    return b;
  }
  const std::size_t size = size_of_class(c);
  auto& f = fresh_[c];
  if (static_cast<std::size_t>(f.end - f.next) < size) {
    slabs_.reserve(slabs_.size() + 1);
    void* memory = std::aligned_alloc(slab_bytes, slab_bytes);
    if (memory == nullptr) throw_out_of_memory();
    slabs_.push_back(memory);
    ::new (memory) slab{this, c};
    f = {static_cast<std::byte*>(memory) + granule, static_cast<std::byte*>(memory) + slab_bytes};
  }
  void* p = f.next;
  f.next += size;
  return p;
}

}  // namespace imbrex::detail
