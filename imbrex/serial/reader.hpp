// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/serial/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace imbrex {

/// Reads values from bytes that it does not own, which may come from anywhere: every read is checked
/// against the bytes left, and lengths are checked before memory is allocated. Whatever is wrong ends in
/// serial_error.
class reader {
 public:
  static constexpr bool reading = true;
  /// Values may be nested this deep (trees of vectors or unique_ptr), so that no input can exhaust the stack.
  static constexpr std::size_t depth_limit = 1000;

  explicit reader(std::span<const std::byte> input) noexcept : input_(input) {}

  /// Reads the values, in order. Throws serial_error; the value being read is then unspecified but valid.
  template <class... T>
  reader& operator()(T&... values);

  /// Copies the next `count` bytes to `target`.
  void bytes(void* target, std::size_t count) {
    require(count);
    if (count != 0) std::memcpy(target, input_.data() + position_, count);
    position_ += count;
  }

  /// The next `count` bytes where they lie; valid as long as the input is.
  std::span<const std::byte> view(std::size_t count) {
    require(count);
    position_ += count;
    return input_.subspan(position_ - count, count);
  }

  /// Skips to a position that is a multiple of `alignment`, a power of two, from the start of the input.
  void align(std::size_t alignment) { view((alignment - position_ % alignment) % alignment); }

  /// Bytes not yet read.
  std::size_t remaining() const noexcept { return input_.size() - position_; }

  /// Throws serial_error if bytes remain.
  void finish() const {
    if (remaining() != 0) detail::throw_unread(remaining(), input_.size());
  }

  /// Counts one level of nesting while it lives; for types that read themselves recursively.
  class level {
   public:
    explicit level(reader& owner) : owner_(owner) {
      if (owner_.depth_ == depth_limit) detail::throw_too_deep(depth_limit);
      ++owner_.depth_;
    }
    level(const level&) = delete;
    level& operator=(const level&) = delete;
    ~level() { --owner_.depth_; }

   private:
    reader& owner_;
  };

 private:
  void require(std::size_t count) const {
    if (count > remaining()) detail::throw_truncated(count, remaining(), position_);
  }

  std::span<const std::byte> input_;
  std::size_t position_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace imbrex
