// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/image/internal/copy_area.hpp>

#include <dlfcn.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/mpi/image/internal/pages.hpp>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace imbrex::mpi {

namespace {

// Addresses above AddressSanitizer's shadow and below those of position-independent programs on Linux.
constexpr std::uintptr_t first = 0x3000'0000'0000;
constexpr std::uintptr_t last = 0x5000'0000'0000;
constexpr std::size_t most_slots = 1 << 16;
// Slots fill page tables, each of which covers 2 MiB.
constexpr std::size_t slot_multiple = 2 << 20;

std::atomic<copy_area*> the_area = nullptr;

std::size_t slot_size(std::size_t bytes) {
  return (bytes + page_size() + slot_multiple - 1) / slot_multiple * slot_multiple;
}

[[noreturn]] void refuse(std::size_t number, int reason) {
  std::string words = "copy " + std::to_string(number) + " of the program cannot be mapped: ";
  if (reason == ENOMEM)
    words +=
        "this process has as many mappings as it may, or no more memory; raise vm.max_map_count by sysctl, "
        "or start more processes with fewer ranks each";
  else
    words += std::strerror(reason);
  throw error(words);
}

}  // namespace

/// The size of slots that share all addresses, at most 64 GiB. Throws error if a heap gets too little.
std::size_t extended_size(std::size_t heap_at, std::size_t slots) {
  constexpr std::size_t most = std::size_t{64} << 30U, least_heap = std::size_t{256} << 20U;
  const std::size_t size = std::min(most, (last - first) / slots / slot_multiple * slot_multiple);
  if (size < heap_at + least_heap)
    throw usage_error(
        "there are no addresses for the heaps of " + std::to_string(slots) +
        " ranks, 256 MiB each: start fewer ranks, make their stacks smaller by --rank-stack, or leave out "
        "--migratable");
  return size;
}

copy_area::copy_area(std::size_t bytes, std::vector<unwind_range> ranges, const slot_extension& more)
    : stack_at_(more.slots == 0 ? 0 : slot_size(bytes)),
      heap_at_(more.slots == 0 ? 0 : slot_size(stack_at_ + more.stack)),
      bytes_(bytes),
      slot_bytes_(more.slots == 0 ? slot_size(bytes) : extended_size(heap_at_, more.slots)),
      ranges_(std::move(ranges)),
      slots_(more.slots == 0 ? std::min(most_slots, (last - first) / slot_bytes_) : more.slots),
      occupied_(slots_.size()) {
  if (more.slots > 0) bytes_ = slot_bytes_ - slot_multiple;
  copy_area* none = nullptr;
  if (!the_area.compare_exchange_strong(none, this, std::memory_order_release))
    throw error("copies are made of another program image already: a process has one");
}

copy_area::~copy_area() { the_area.store(nullptr, std::memory_order_release); }

/// False if another mapping is there.
bool copy_area::reserve(std::size_t number, copy_state* copy) {
  void* const place = reinterpret_cast<void*>(first + number * slot_bytes_);
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  void* const mapped = ::mmap(place, bytes_, PROT_NONE, flags, -1, 0);
  if (mapped == MAP_FAILED && errno != EEXIST) refuse(number, errno);
  occupied_[number] = true;
  if (mapped == MAP_FAILED) return false;
  if (mapped != place) {  // the kernel does not support the flag
    ::munmap(mapped, bytes_);
    return false;
  }
  slots_[number].store(copy, std::memory_order_release);
  if (used_.load(std::memory_order_relaxed) <= number) used_.store(number + 1, std::memory_order_release);
  return true;
}

std::byte* copy_area::take(copy_state* copy, std::optional<std::size_t> number) {
  const std::lock_guard hold(mutex_);
  for (std::size_t i = number.value_or(0); i < slots_.size(); ++i) {
    if (!occupied_[i] && reserve(i, copy)) return reinterpret_cast<std::byte*>(first + i * slot_bytes_);
    if (number) refuse(i, EEXIST);
  }
  throw error("there are no addresses for more than " + std::to_string(slots_.size()) +
              " copies of the program in a process: start more processes with fewer ranks each");
}

void copy_area::give_back(std::byte* slot) noexcept {
  const std::lock_guard hold(mutex_);
  const std::size_t number = number_of(slot);
  slots_[number].store(nullptr, std::memory_order_release);
  ::munmap(slot, bytes_);
  occupied_[number] = false;
}

std::uintptr_t copy_area::begin() const noexcept { return first; }

std::size_t copy_area::number_of(const void* address) const noexcept {
  return (reinterpret_cast<std::uintptr_t>(address) - first) / slot_bytes_;
}

copy_state* copy_area::copy_at(const void* address) const noexcept {
  const std::size_t number = number_of(address);  // huge for addresses below
  return number < used_.load(std::memory_order_acquire) ? slots_[number].load(std::memory_order_acquire)
                                                        : nullptr;
}

const unwind_range* copy_area::range_of(const void* instruction, std::byte*& slot) const noexcept {
  if (copy_at(instruction) == nullptr) return nullptr;
  const std::uintptr_t base = first + number_of(instruction) * slot_bytes_;
  const std::uint64_t place = reinterpret_cast<std::uintptr_t>(instruction) - base;
  for (const unwind_range& range : ranges_) {
    if (place < range.begin || place >= range.end) continue;
    slot = reinterpret_cast<std::byte*>(base);
    return &range;
  }
  return nullptr;
}

const copy_area* copy_area::current() noexcept { return the_area.load(std::memory_order_acquire); }

}  // namespace imbrex::mpi

/// Lookup that libgcc's unwinder tries first; the C library's own does not know copies.
extern "C" [[gnu::visibility("default")]] int _dl_find_object(void* instruction, dl_find_object* found) {
  using namespace imbrex::mpi;
  if (const copy_area* area = copy_area::current()) {
    std::byte* slot = nullptr;
    if (const unwind_range* range = area->range_of(instruction, slot)) {
      found->dlfo_flags = 0;
      found->dlfo_map_start = slot + range->begin;
      found->dlfo_map_end = slot + range->end;
      found->dlfo_link_map = nullptr;
      found->dlfo_eh_frame = slot + range->table;
      return 0;
    }
  }
  using function = int (*)(void*, dl_find_object*);
  static const auto next = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "_dl_find_object"));
  return next(instruction, found);
}
