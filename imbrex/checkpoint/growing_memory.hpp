// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include <imbrex/base/host/descriptor.hpp>

namespace imbrex::checkpoints {

/// Bytes at whose end others are appended. Memory that has been used stays mapped, so that it is filled again
/// without page faults. Appending may move the bytes.
class growing_memory {
 public:
  growing_memory() = default;
  /// The bytes are those of a memory file (`memfd_create`), which other processes may have, too.
  explicit growing_memory(descriptor file) : file_(std::move(file)) {}
  ~growing_memory();
  growing_memory(const growing_memory&) = delete;
  growing_memory& operator=(const growing_memory&) = delete;

  std::span<std::byte> bytes() const noexcept { return {data_, used_}; }
  std::size_t size() const noexcept { return used_; }

  /// Appends room for `count` bytes, whose contents are of no account. Throws `error` if there is no memory.
  std::byte* append(std::size_t count) {
    if (count > capacity_ - used_) [[unlikely]]
      grow(count);
    used_ += count;
    return data_ + used_ - count;
  }
  void append(std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(append(bytes.size()), bytes.data(), bytes.size());
  }
  /// Appends zeros up to a multiple of 16 bytes.
  void align() {
    std::memset(append(alignment), 0, alignment);
    used_ = (used_ - 1) / alignment * alignment;
  }
  static constexpr std::size_t alignment = 16;

  /// Drops all bytes from this one on, and keeps their memory.
  void shorten(std::size_t size) noexcept { used_ = size; }

 private:
  void grow(std::size_t count);

  descriptor file_;
  std::byte* data_ = nullptr;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace imbrex::checkpoints
