// SPDX-License-Identifier: Apache-2.0
#include <imbrex/resident/heap_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/device/memory_key.hpp>
#include <imbrex/resident/internal/aligned_bytes.hpp>

namespace imbrex::resident::detail {
namespace {

std::size_t words_of(std::size_t gpus) { return aligned_bytes(gpus * sizeof(std::uint32_t)); }

/// At least `bytes` bytes, so large that sharing them shares no other memory.
std::size_t sharable(std::size_t bytes) { return std::max(bytes, imbrex::detail::sharable_bytes); }

/// Signals have 40 bits for an offset in the heap.
std::size_t checked_bytes(std::size_t bytes) {
  constexpr std::size_t most = std::size_t{1} << 40U;
  if (bytes >= most)
    throw usage_error("a symmetric heap of " + std::to_string(bytes) +
                      " bytes is impossible: give less than 2^40");
  return aligned_bytes(bytes);
}

std::uint32_t checked(std::uint32_t gpus) {
  if (gpus < 1 || gpus > most_gpus)
    throw usage_error("a symmetric heap of " + std::to_string(gpus) + " GPUs is impossible: give 1 to " +
                      std::to_string(most_gpus));
  return gpus;
}

}  // namespace

heap_memory::heap_memory(device& of, std::uint32_t gpus, std::size_t bytes)
    : heap_memory(of, gpus, 0, gpus, bytes, nullptr) {
  if (gpus > 1 && of.info().backend != "emulated")
    throw usage_error("a symmetric heap of " + std::to_string(gpus) +
                      " GPUs in one process needs emulated ones, not " + of.info().label() +
                      ": start a process for each GPU");
}

heap_memory::heap_memory(device& of, std::uint32_t own_gpu, std::uint32_t gpus, std::size_t bytes,
                         std::unique_ptr<heap_source> source)
    : heap_memory(of, gpus, own_gpu, 1, bytes, std::move(source)) {}

heap_memory::heap_memory(device& of, std::uint32_t gpus, std::uint32_t first, std::uint32_t here,
                         std::size_t bytes, std::unique_ptr<heap_source> source)
    : device_(of),
      first_(first),
      here_(here),
      heaps_(checked(gpus)),
      bytes_(begin() + checked_bytes(bytes)),
      stream_(of, stream_priority::normal, "a symmetric heap"),
      source_(source ? std::move(source) : source_of_device(of, bytes_ * here)) {
  if (!of.info().keeps_data)
    throw usage_error("a program inside a GPU runs on a device that keeps no data: leave out --no-data");
  for (std::uint32_t g = 0; g < here; ++g) heaps_[first + g] = source_->own() + bytes_ * g;
  stream_.fill(device_span<std::byte>(source_->own(), bytes_ * here, of.info().id), std::byte{0});
  stream_.synchronize();
}

std::size_t heap_memory::words_bytes() const { return words_of(heaps_.size()); }

std::size_t heap_memory::bytes_of(std::uint32_t gpus, std::size_t bytes) {
  return sharable(rows * most_programs * words_of(checked(gpus)) + checked_bytes(bytes));
}

void heap_memory::join(std::uint32_t gpu, const memory_key& of) {
  heaps_[gpu] = source_->reach(gpu, of);
  if (heaps_[gpu] == nullptr)
    throw usage_error("process " + std::to_string(first_) + " cannot reach the memory of process " +
                      std::to_string(gpu) + " for a symmetric heap: " + source_->condition());
}

std::byte* heap_memory::own(std::uint32_t gpu) const {
  if (gpu < first_ || gpu >= first_ + here_)
    throw usage_error("a process reads or writes the memory of GPU " + std::to_string(gpu) +
                      " of a symmetric heap, which is another process's");
  return heaps_[gpu];
}

std::size_t heap_memory::take(std::size_t bytes) {
  const std::size_t rounded_bytes = aligned_bytes(std::clamp<std::size_t>(bytes, 1, bytes_));
  std::size_t at = begin();
  std::size_t in_use = 0;
  for (const auto& [from, size] : used_) {
    if (from - at >= rounded_bytes) break;
    at = from + size;
  }
  for (const auto& [from, size] : used_) in_use += size;
  if (at > bytes_ || bytes_ - at < rounded_bytes)
    throw usage_error("a symmetric heap of " + std::to_string(bytes_ - begin()) + " bytes, of which " +
                      std::to_string(in_use) + " are used, has no room for " +
                      std::to_string(std::max(bytes, rounded_bytes)) + " more in one piece: make it larger");
  used_.emplace(at, rounded_bytes);
  pending_releases_.reserve(used_.size());
  return at;
}

void heap_memory::give_back(std::size_t offset) noexcept { used_.erase(offset); }

void heap_memory::give_back_after_runs(std::size_t offset) noexcept {
  if (runs_under_way_ == 0) return give_back(offset);
  pending_releases_.push_back(offset);
}

void heap_memory::end_run() noexcept {
  if (--runs_under_way_ != 0) return;
  for (const std::size_t offset : pending_releases_) give_back(offset);
  pending_releases_.clear();
}

std::uint32_t heap_memory::take_program() {
  const auto free = std::ranges::find(programs_, false, &program_words::is_used);
  if (free == programs_.end())
    throw usage_error("a symmetric heap has " + std::to_string(most_programs) +
                      " programs and gets one more: destroy some before");
  free->is_used = true;
  return static_cast<std::uint32_t>(free - programs_.begin());
}

void heap_memory::read(std::uint32_t gpu, std::size_t from, std::span<std::byte> to) {
  const std::byte* const at = own(gpu) + from;
  pinned_buffer<std::byte> copy(device_, to.size());
  stream_.copy(copy.span(), device_span<const std::byte>(at, to.size(), device_.info().id));
  stream_.synchronize();
  std::ranges::copy(copy.span(), to.begin());
}

void heap_memory::write(std::uint32_t gpu, std::size_t to, std::span<const std::byte> from) {
  std::byte* const at = own(gpu) + to;
  pinned_buffer<std::byte> copy(device_, from.size());
  std::ranges::copy(from, copy.span().begin());
  stream_.copy(device_span<std::byte>(at, from.size(), device_.info().id), copy.span());
  stream_.synchronize();
}

}  // namespace imbrex::resident::detail
