// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/serial/error.hpp>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace imbrex {

/// Writes values into a buffer that grows. The bytes are in the machine's own order: reader and writer run on
/// the same architecture.
class writer {
 public:
  static constexpr bool reading = false;

  writer() = default;
  /// A writer that only counts: nothing is kept, and `size` is what it would be.
  static constexpr struct counting_only {
  } counting{};
  explicit writer(counting_only) : counts_only_(true) {}

  /// Appends the values, in order.
  template <class... T>
  writer& operator()(const T&... values);

  /// Appends `count` bytes.
  void bytes(const void* source, std::size_t count) {
    if (count > buffer_.size() - used_) return append_and_grow(source, count);
    if (count != 0) std::memcpy(buffer_.data() + used_, source, count);
    used_ += count;
  }

  /// Appends zeros until the size is a multiple of `alignment`, a power of two.
  void align(std::size_t alignment);

  /// Bytes written so far.
  std::size_t size() const noexcept { return used_ + counted_; }

  /// The bytes written so far; valid until the next change.
  std::span<const std::byte> written() const noexcept { return {buffer_.data(), used_}; }

  /// Hands the bytes over, where they are; the writer is empty afterwards.
  std::vector<std::byte> take();

  /// Forgets the bytes and keeps the memory.
  void clear() noexcept { used_ = 0; }

 private:
  void append_and_grow(const void* source, std::size_t count);

  std::vector<std::byte> buffer_;  // longer than used_ by some spare bytes, so that small values need no call
  std::size_t used_ = 0;
  bool counts_only_ = false;  // the buffer stays empty, so that every byte comes to append_and_grow
  std::size_t counted_ = 0;
};

}  // namespace imbrex
