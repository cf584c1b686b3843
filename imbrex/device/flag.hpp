// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

#include <imbrex/device/pooled_memory.hpp>

namespace imbrex {

/// One word of a `flag_array`, for `stream::write` and `stream::wait`.
struct device_flag {
  std::atomic<std::uint32_t>* word = nullptr;
  const void* device = nullptr;  ///< device whose streams may use it
};

/// Words in pinned host memory that a device's streams write and wait for. The host reads them without a call
/// of the driver. Zero at the start. Any thread may read and store.
class flag_array {
 public:
  flag_array(device& of, std::size_t size)
      : of_(of), memory_(of, memory_kind::pinned, size, sizeof(std::atomic<std::uint32_t>)) {
    for (std::size_t i = 0; i < size; ++i) new (words_address() + i) std::atomic<std::uint32_t>(0);
  }

  device_flag operator[](std::size_t i) noexcept { return {words_address() + i, memory_.device()}; }
  std::size_t size() const noexcept { return memory_.count(); }
  /// The current value. A thread that reads a value written by a stream also sees the stream's earlier
  /// effects.
  std::uint32_t load(std::size_t i) const noexcept {
    return words_address()[i].load(std::memory_order_acquire);
  }
  /// The words themselves, consecutive, for polling many.
  std::span<const std::atomic<std::uint32_t>> words() const noexcept { return {words_address(), size()}; }
  /// Stores a value, which releases streams that wait for it.
  void store(std::size_t i, std::uint32_t value) { of_.backend().store(words_address()[i], value); }

 private:
  static_assert(sizeof(std::atomic<std::uint32_t>) == 4);
  std::atomic<std::uint32_t>* words_address() const noexcept {
    return static_cast<std::atomic<std::uint32_t>*>(memory_.address());
  }

  device& of_;
  detail::pooled_memory memory_;
};

}  // namespace imbrex
