// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/serial/copy_bytes.hpp>
#include <imbrex/serial/error.hpp>

#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace imbrex {

/// Takes bytes as they are written.
class byte_sink {
 public:
  virtual void take(std::span<const std::byte> bytes) = 0;

 protected:
  ~byte_sink() = default;
};

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
  /// Values may be nested as deep as a reader takes them, so that no value can exhaust the stack.
  static constexpr std::size_t depth_limit = 1000;
  bool only_counts() const { return counts_only_; }

  /// Appends the values, in order.
  template <class... T>
  writer& operator()(const T&... values);

  /// Appends `count` bytes.
  void bytes(const void* source, std::size_t count) {
    if (count > buffer_.size() - used_) [[unlikely]]
      return counts_only_ ? absent(count) : append_and_grow(source, count);
    detail::copy_bytes(buffer_.data() + used_, source, count);
    used_ += count;
  }

  /// Appends a number, which for that need not lie in memory. To read what has just been put there in other
  /// pieces takes a processor as long as all that it has written before takes to reach the cache.
  template <class Number>
  void number(Number value) {
    if (sizeof value > buffer_.size() - used_) [[unlikely]]
      return append_number(value);
    std::memcpy(buffer_.data() + used_, &value, sizeof value);
    used_ += sizeof value;
  }

  /// Where the next bytes will stand, with room for so many: to be written there, and said by `filled`.
  std::byte* room(std::size_t count) {
    if (count > buffer_.size() - used_) [[unlikely]]
      make_room(count);
    return buffer_.data() + used_;
  }
  void filled(std::size_t count) { used_ += count; }

  /// Counts bytes that nobody has, where all are only counted: see `absent_bytes`.
  void absent(std::size_t count) {
    if (counts_only_) counted_ += count;
  }

  /// Appends bytes that stay where they are as long as what is written lives: see `lend_from`.
  void block(const void* source, std::size_t count) {
    if (count >= lend_from_) [[unlikely]]
      return lend(source, count);
    bytes(source, count);
  }

  /// From now on the bytes written leave for a sink whenever a block of at least that many bytes comes, or
  /// the buffer would grow. Such a block goes there from where it is. `written` are those that have not left.
  void write_through(byte_sink& to, std::size_t size) {
    sink_ = &to;
    lend_from_ = copy_below_ = size;
  }

  /// One block that is not among the bytes written.
  struct lent_block {
    std::span<const std::byte> bytes;
    std::size_t position = 0;  ///< in the bytes written, where it would stand
  };

  /// From now on the first block of at least that many bytes is not copied but lent.
  void lend_from(std::size_t size) { lend_from_ = size; }
  /// What is lent; empty if nothing is.
  const lent_block& lent() const noexcept { return lent_; }

  /// While it lives, blocks are copied: for values that may not outlive their writing.
  class copying {
   public:
    explicit copying(writer& w) : writer_(w), before_(std::exchange(w.lend_from_, w.copy_below_)) {}
    copying(const copying&) = delete;
    copying& operator=(const copying&) = delete;
    ~copying() { writer_.lend_from_ = before_; }

   private:
    writer& writer_;
    std::size_t before_;
  };

  /// Counts one level of nesting while it lives, where `reader::level` does.
  class level {
   public:
    explicit level(writer& owner) : owner_(owner) {
      if (owner_.depth_ == depth_limit) [[unlikely]]
        detail::throw_too_deep(depth_limit);
      ++owner_.depth_;
    }
    level(const level&) = delete;
    level& operator=(const level&) = delete;
    ~level() { --owner_.depth_; }

   private:
    writer& owner_;
  };

  /// Appends zeros until the size is a multiple of `alignment`, a power of two.
  void align(std::size_t alignment);

  /// Bytes written so far, with those that are lent.
  std::size_t size() const noexcept { return used_ + counted_ + lent_.bytes.size(); }

  /// The bytes written so far, without those that are lent; valid until the next change.
  std::span<const std::byte> written() const noexcept { return {buffer_.data(), used_}; }

  /// Hands the bytes over, where they are; the writer is empty afterwards.
  std::vector<std::byte> take();

  /// Forgets the bytes and keeps the memory.
  void clear() noexcept {
    used_ = 0;
    lent_ = {};
  }

 private:
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  template <class Number>
  [[gnu::noinline]] void append_number(Number value) {
    bytes(&value, sizeof value);
  }
  void append_and_grow(const void* source, std::size_t count);
  void make_room(std::size_t count);
  void lend(const void* source, std::size_t count);
  void leave();

  std::vector<std::byte> buffer_;  // longer than used_ by some spare bytes, so that small values need no call
  std::size_t used_ = 0;
  bool counts_only_ = false;  // the buffer stays empty, so that there is room for no byte
  std::size_t counted_ = 0;   // bytes that are not kept: nobody has them, or the sink has them
  std::size_t depth_ = 0;
  std::size_t lend_from_ = never;
  std::size_t copy_below_ = never;  // of values that may not outlive their writing, for which a sink can wait
  byte_sink* sink_ = nullptr;
  lent_block lent_;
};

}  // namespace imbrex
