// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/memory_pool.hpp>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include <imbrex/device/check.hpp>
#include <imbrex/device/error.hpp>

namespace imbrex::detail {
namespace {

/// The size requested from the driver: quarters of powers of two up to 1 MiB, then multiples of 64 KiB. So
/// blocks of similar sizes can replace each other, and large ones waste little.
std::size_t rounded(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 256);
  const std::size_t step = std::clamp<std::size_t>(std::bit_floor(bytes) / 4, 256, 65'536);
  if (bytes > SIZE_MAX - step) return bytes;
  return (bytes + step - 1) / step * step;
}

std::size_t free_host_memory() {
  return static_cast<std::size_t>(::sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

memory_pool::memory_pool(device_backend& of, memory_kind kind, stream_registry& streams)
    : of_(of), kind_(kind), streams_(streams) {}

memory_pool::~memory_pool() {
  require(in_use_.empty(), "a device is destroyed before buffers in its memory");
  for (ward& w : wards_) released_blocks_.splice(released_blocks_.end(), w.waiting);
  released_blocks_.splice(released_blocks_.end(), at_rest_);
  for (const block& b : released_blocks_) of_.release(kind_, b.address);
  release_unused();
}

void* memory_pool::take(std::size_t bytes) {
  const std::size_t size = rounded(bytes);
  const std::lock_guard guard(lock_);
  put_by(at_rest_);
  void* found = reuse(size);
  if (found == nullptr) {
    close_ward();
    open_wards(false);
    found = reuse(size);
  }
  for (int attempt = 0; found == nullptr && attempt < 2; ++attempt) {
    ++counts_.driver_calls;
    if (void* fresh = of_.allocate(kind_, size); fresh != nullptr) {
      counts_.bytes_held += size;
      blocks& shelf = free_[size];
      place_of_[fresh] = shelf.insert(shelf.end(), {fresh, size});
    } else if (attempt == 0) {
      open_wards(true);
      found = reuse(size);
      if (found == nullptr) release_unused();
      continue;
    }
    found = reuse(size);
  }
  if (found == nullptr)
    throw device_out_of_memory(of_.info().label(), {},
                               kind_ == memory_kind::device ? "device memory" : "pinned host memory", bytes,
                               kind_ == memory_kind::device ? of_.free_memory() : free_host_memory());
  return found;
}

void* memory_pool::reuse(std::size_t bytes) {
  const auto is_near = [&](std::size_t size) { return size - bytes <= bytes / 4; };
  auto fits = free_.lower_bound(bytes);
  while (fits != free_.end() && is_near(fits->first) && fits->second.empty()) ++fits;
  if (fits == free_.end() || !is_near(fits->first)) return nullptr;
  const auto taken = fits->second.begin();
  in_use_.splice(in_use_.begin(), fits->second, taken);
  taken->is_owned = true;
  ++counts_.blocks_in_use;
  counts_.bytes_in_use += taken->size;
  return taken->address;
}

memory_pool::blocks::iterator memory_pool::owned_block(void* address) noexcept {
  const auto place = place_of_.find(address);
  if (place == place_of_.end() || !place->second->is_owned)
    refuse_misuse("a buffer is released that this pool has not handed out");
  return place->second;
}

void memory_pool::give_back(void* address) noexcept {
  const std::lock_guard guard(lock_);
  const auto used = owned_block(address);
  used->is_owned = false;
  if (used->holds == 0) retire(used, released_blocks_);
}

void memory_pool::give_back_at_rest(void* address) noexcept {
  const std::lock_guard guard(lock_);
  const auto used = owned_block(address);
  used->is_owned = false;
  if (used->holds == 0) retire(used, at_rest_);
}

void memory_pool::retire(blocks::iterator used, blocks& to) noexcept {
  --counts_.blocks_in_use;
  counts_.bytes_in_use -= used->size;
  to.splice(to.end(), in_use_, used);
}

void* memory_pool::hold(const void* inside) {
  const std::lock_guard guard(lock_);
  auto next = place_of_.upper_bound(const_cast<void*>(inside));
  if (next == place_of_.begin()) return nullptr;
  block& found = *std::prev(next)->second;
  const auto offset =
      static_cast<std::size_t>(static_cast<const char*>(inside) - static_cast<char*>(found.address));
  if (offset >= found.size || !found.is_owned) return nullptr;
  ++found.holds;
  return &found;
}

void memory_pool::let_go(void* what) noexcept {
  const std::lock_guard guard(lock_);
  block& held = *static_cast<block*>(what);  // valid, since nodes of a list do not move
  require(held.holds > 0, "a block is let go that is not held");
  if (--held.holds == 0 && !held.is_owned) retire(place_of_.find(held.address)->second, released_blocks_);
}

void memory_pool::close_ward() {
  if (released_blocks_.empty()) return;
  auto moment = streams_.now();
  if (moment == nullptr) return;
  wards_.push_back({std::move(moment), {}});
  wards_.back().waiting.splice(wards_.back().waiting.end(), released_blocks_);
}

void memory_pool::open_wards(bool wait) {
  for (ward& w : wards_) {
    if (wait) w.until->wait();
    if (w.until->over()) put_by(w.waiting);
  }
  std::erase_if(wards_, [](const ward& w) { return w.waiting.empty(); });
}

void memory_pool::put_by(blocks& from) {
  while (!from.empty()) {
    blocks& shelf = free_[from.front().size];
    shelf.splice(shelf.end(), from, from.begin());
  }
}

void memory_pool::release_unused() noexcept {
  for (auto& [size, shelf] : free_)
    for (const block& b : shelf) {
      of_.release(kind_, b.address);
      place_of_.erase(b.address);
      counts_.bytes_held -= size;
      ++counts_.driver_calls;
    }
  free_.clear();
}

void memory_pool::trim() {
  const std::lock_guard guard(lock_);
  close_ward();
  open_wards(true);
  put_by(at_rest_);
  release_unused();
}

memory_pool::statistics memory_pool::counts() const {
  const std::lock_guard guard(lock_);
  return counts_;
}

}  // namespace imbrex::detail
