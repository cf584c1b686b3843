// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/serial/copy_bytes.hpp>
#include <imbrex/serial/error.hpp>
#include <imbrex/serial/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace imbrex {

/// Reads values from bytes that it does not own, and that may be of any origin. Every read is checked against
/// the bytes left, and lengths are checked before memory is allocated. Every error is a serial_error.
class reader {
 public:
  static constexpr bool reading = true;  ///< True in `serialize` while members are filled from bytes.
  /// Maximum depth of nesting (trees of vectors or unique_ptr), equal to a writer's, so that no input can
  /// exhaust the stack.
  static constexpr std::size_t depth_limit = writer::depth_limit;

  /// `input` must outlive the reader and all views that are read from it.
  explicit reader(std::span<const std::byte> input) noexcept : input_(input) {}

  /// A block that the writer has exported: it is not part of the input, but belongs at that position of it.
  struct separate_block {
    std::size_t position = 0;          ///< bytes that have been read
    std::size_t size = 0;              ///< bytes of the whole input
    const std::byte* bytes = nullptr;  ///< null if the bytes arrive later, at the address that
                                       ///< `place_of_block` returns
  };
  reader(std::span<const std::byte> input, const separate_block& block) noexcept
      : input_(input), block_(block), block_unread_(block.size) {}

  /// From now on this carrier gives the parts that are no bytes.
  void carry_by(detail::part_carrier& carrier) { carrier_ = &carrier; }
  /// Null if there is none.
  detail::part_carrier* carrier() const { return carrier_; }

  /// For use in the `serialize` of a class with a `version`: its version when the bytes were written. 0
  /// elsewhere.
  int version() const noexcept { return version_ != nullptr ? version_->current : 0; }
  /// From now on the archive is at this place, which may be null. Returns the former one.
  const detail::version_place* at_version(const detail::version_place* place) noexcept {
    return std::exchange(version_, place);
  }

  /// Reads the values, in order. Throws serial_error; the value being read is then unspecified but valid.
  template <class... T>
  reader& operator()(T&... values);

  /// Copies the next `count` bytes to `target`.
  void bytes(void* target, std::size_t count) {
    require(count);
    detail::copy_bytes(target, input_.data() + position_, count);
    position_ += count;
  }

  /// Next `count` bytes in place; valid as long as the input is.
  std::span<const std::byte> view(std::size_t count) {
    if (stands_apart(count)) [[unlikely]] {
      if (block_.bytes == nullptr) detail::throw_truncated(count, 0, position_);
      return {block_.bytes, std::exchange(block_unread_, 0)};
    }
    require(count);
    position_ += count;
    return input_.subspan(position_ - count, count);
  }

  /// Unread bytes of the input.
  std::span<const std::byte> ahead() const noexcept { return input_.subspan(position_); }

  /// Skips to a position that is a multiple of `alignment`, a power of two, from the start of the input.
  void align(std::size_t alignment) { view((alignment - position_ % alignment) % alignment); }

  /// Minimum size of bytes that may arrive later. Fewer bytes may lie in the container object itself, and
  /// move with it.
  static constexpr std::size_t shortest_pending = 64;
  /// True if the next `count` bytes arrive later. Then `expect` sets their address.
  bool is_pending(std::size_t count) const {
    return stands_apart(count) && block_.bytes == nullptr && !whole_ && count >= shortest_pending;
  }
  /// Records the address at which bytes that arrive later will be stored. The value being read must keep them
  /// there when it is moved.
  void expect(void* target) {
    place_of_block_ = static_cast<std::byte*>(target);
    block_unread_ = 0;
  }
  /// Copies all unread bytes, with the separate block at its position, which may still arrive later.
  void rest(std::byte* target);
  /// Address for the block that arrives later; null if no value has read it.
  std::byte* place_of_block() const { return place_of_block_; }

  /// Number of unread bytes.
  std::size_t remaining() const noexcept { return input_.size() - position_ + block_unread_; }

  /// Throws serial_error if bytes remain.
  void finish() const {
    if (remaining() != 0) detail::throw_unread(remaining(), input_.size() + block_.size);
  }

  /// While this object lives, no bytes may arrive later: for values that are examined while they are read.
  class whole {
   public:
    /// Values are read as a whole until the object ends.
    explicit whole(reader& owner) : owner_(owner), before_(std::exchange(owner.whole_, true)) {}
    whole(const whole&) = delete;
    whole& operator=(const whole&) = delete;
    ~whole() { owner_.whole_ = before_; }

   private:
    reader& owner_;
    bool before_;
  };

  /// Counts one level of nesting during its lifetime, for types that read themselves recursively.
  class level {
   public:
    /// Counts a level of nested values until the object ends; throws if there are too many.
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
    const std::size_t left = input_.size() - position_;
    if (count > left) detail::throw_truncated(count, left, position_);
  }
  bool stands_apart(std::size_t count) const {
    return block_unread_ != 0 && count == block_unread_ && position_ == block_.position;
  }

  std::span<const std::byte> input_;
  std::size_t position_ = 0;
  std::size_t depth_ = 0;
  separate_block block_;
  std::size_t block_unread_ = 0;
  std::byte* place_of_block_ = nullptr;
  bool whole_ = false;
  detail::part_carrier* carrier_ = nullptr;
  const detail::version_place* version_ = nullptr;
};

}  // namespace imbrex
