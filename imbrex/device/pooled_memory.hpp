// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <utility>

#include <imbrex/device/check.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/device/error.hpp>

namespace imbrex {
// In this class, as in buffers, an unqualified `device` would be a member function; g++ refuses it as the
// name of the type.
namespace detail {

/// A block of a memory pool, freed with its owner.
class pooled_memory {
 public:
  /// No memory.
  pooled_memory() noexcept = default;
  pooled_memory(imbrex::device& of, memory_kind kind, std::size_t count, std::size_t size)
      : pool_(&of.memory(kind)), device_(of.info().id) {
    if (count > std::numeric_limits<std::size_t>::max() / 2 / size)
      throw device_out_of_memory(of.info().label(), {}, "memory", std::numeric_limits<std::size_t>::max(),
                                 of.free_memory());
    address_ = pool_->take(count * size);
    count_ = count;
  }
  pooled_memory(pooled_memory&& other) noexcept
      : pool_(std::exchange(other.pool_, nullptr)),
        address_(other.address_),
        count_(std::exchange(other.count_, 0)),
        device_(other.device_) {}
  pooled_memory& operator=(pooled_memory&& other) noexcept {
    if (this == &other) return *this;
    release();
    pool_ = std::exchange(other.pool_, nullptr);
    address_ = other.address_;
    count_ = std::exchange(other.count_, 0);
    device_ = other.device_;
    return *this;
  }
  ~pooled_memory() { release(); }

  void release() noexcept {
    if (pool_ != nullptr) pool_->give_back(address_);
    pool_ = nullptr;
    count_ = 0;
  }
  /// Frees memory that nothing on the device uses any more, without quarantine.
  void release_at_rest() noexcept {
    if (pool_ != nullptr) pool_->give_back_at_rest(address_);
    pool_ = nullptr;
    count_ = 0;
  }

  /// False if it has no memory: empty, moved from or released.
  explicit operator bool() const noexcept { return pool_ != nullptr; }
  void* address() const noexcept {
    require(pool_ != nullptr, "a buffer is used after it was moved from or released");
    return pool_ != nullptr ? address_ : nullptr;
  }
  std::size_t count() const noexcept { return count_; }
  const void* device() const noexcept { return device_; }

 private:
  memory_pool* pool_ = nullptr;
  void* address_ = nullptr;
  std::size_t count_ = 0;
  const void* device_ = nullptr;
};

}  // namespace detail

}  // namespace imbrex
