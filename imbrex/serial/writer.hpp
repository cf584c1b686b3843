// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/serial/copy_bytes.hpp>
#include <imbrex/serial/error.hpp>

#include <cstddef>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace imbrex {

/// Receives bytes as they are written.
class byte_sink {
 public:
  virtual void take(std::span<const std::byte> bytes) = 0;  ///< Takes the next bytes of the output.

 protected:
  ~byte_sink() = default;
};

namespace detail {

class attachment;
class name_reader;
class name_writer;

/// Takes those parts of values that are no bytes, such as memory of devices, while an archive writes the
/// values; and gives parts to an archive that reads values.
class part_carrier {
 public:
  virtual void take(attachment& part) = 0;
  /// Called for memory of the host that such parts are copied to and from, which is written as bytes.
  virtual void take_host_memory() {}
  /// Gives the next part, with elements of `size` bytes.
  virtual void give(attachment& part, std::size_t size) = 0;
  /// Writes and reads names in place of numbers of the run, for values that outlive it. Null if numbers stay
  /// as they are.
  virtual name_writer* names_to_write() { return nullptr; }
  virtual name_reader* names_to_read() { return nullptr; }

 protected:
  ~part_carrier() = default;
};

/// Versions that classes had in the program that wrote some bytes. A class whose `serialize` has changed says
/// so by `static constexpr int version`; then `ar.version()`, in its `serialize`, tells which one it is for.
class class_versions {
 public:
  /// 0 for a class without a version, and for one that the bytes lack.
  virtual int version_of(std::string_view class_name) const = 0;

 protected:
  ~class_versions() = default;
};

/// The version of the class that an archive is at. An archive of messages has none outside of a class with a
/// version.
struct version_place {
  const class_versions* written = nullptr;  ///< null: this program's versions
  int current = 0;
};

}  // namespace detail

/// Writes values into a growing buffer. The bytes are in the machine's own byte order: reader and writer run
/// on the same architecture.
class writer {
 public:
  static constexpr bool reading = false;  ///< False in `serialize` while members are written.

  writer() = default;
  /// Makes a writer that only counts: it keeps nothing, and `size` is the size that the bytes would have.
  static constexpr struct counting_only {
  } counting{};  ///< selects the constructor that counts bytes and writes none
  explicit writer(counting_only) : counts_only_(true) {}  ///< Counts the bytes that values would take.
  /// Maximum depth of nesting, equal to a reader's, so that no value can exhaust the stack.
  static constexpr std::size_t depth_limit = 1000;
  bool only_counts() const { return counts_only_; }  ///< True if the writer was made with `counting`.

  /// From now on this carrier takes the parts that are no bytes.
  void carry_by(detail::part_carrier& carrier) { carrier_ = &carrier; }
  /// Null if there is none.
  detail::part_carrier* carrier() const { return carrier_; }

  /// For use in the `serialize` of a class with a `version`: that version. 0 elsewhere.
  int version() const noexcept { return version_ != nullptr ? version_->current : 0; }
  /// From now on the archive is at this place, which may be null. Returns the former one.
  const detail::version_place* at_version(const detail::version_place* place) noexcept {
    return std::exchange(version_, place);
  }

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

  /// Appends a number, which need not lie in memory. Reading recent writes back in pieces of another size
  /// would stall the processor until all its earlier writes have reached the cache.
  template <class Number>
  void number(Number value) {
    if (sizeof value > buffer_.size() - used_) [[unlikely]]
      return append_number(value);
    std::memcpy(buffer_.data() + used_, &value, sizeof value);
    used_ += sizeof value;
  }

  /// Returns the address for the next bytes, with room for `count`. The caller writes them there and then
  /// calls `filled`.
  std::byte* room(std::size_t count) {
    if (count > buffer_.size() - used_) [[unlikely]]
      make_room(count);
    return buffer_.data() + used_;
  }
  /// Reports that `count` bytes have been written by the caller into the reserved memory.
  void filled(std::size_t count) { used_ += count; }

  /// Counts bytes that do not exist, in a writer that only counts: see `absent_bytes`.
  void absent(std::size_t count) {
    if (counts_only_) counted_ += count;
  }

  /// Appends bytes that stay at their address during the life of the written bytes: see `export_from`.
  void block(const void* source, std::size_t count) {
    if (count >= export_from_) [[unlikely]]
      return export_block(source, count);
    bytes(source, count);
  }

  /// From now on the written bytes go to a sink when the buffer would grow, or when a block of at least
  /// `size` bytes is appended. Such a block goes to the sink without a copy. `written` returns the bytes that
  /// have not left.
  void write_through(byte_sink& to, std::size_t size) {
    sink_ = &to;
    export_from_ = copy_below_ = size;
  }

  /// One block that is not among the written bytes.
  struct separate_block {
    std::span<const std::byte> bytes;  ///< memory that goes to the receiver without a copy
    std::size_t position = 0;          ///< position in the written bytes at which the block belongs
  };

  /// From now on the first block of at least `size` bytes is exported, not copied.
  void export_from(std::size_t size) { export_from_ = size; }
  /// Exported block; empty if there is none.
  const separate_block& exported_block() const noexcept { return exported_block_; }

  /// While this object lives, blocks are copied, or go to a sink at once: for values that may not outlive
  /// their writing.
  class copying {
   public:
    /// Copies values below the current limit of length until the object ends.
    explicit copying(writer& w) : writer_(w), before_(std::exchange(w.export_from_, w.copy_below_)) {}
    copying(const copying&) = delete;
    copying& operator=(const copying&) = delete;
    ~copying() { writer_.export_from_ = before_; }

   private:
    writer& writer_;
    std::size_t before_;
  };

  /// Counts one level of nesting during its lifetime, where `reader::level` does.
  class level {
   public:
    /// Counts a level of nested values until the object ends; throws if there are too many.
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

  /// Number of bytes written so far, including exported ones.
  std::size_t size() const noexcept { return used_ + counted_ + exported_block_.bytes.size(); }

  /// Bytes written so far, without exported ones; valid until the next change.
  std::span<const std::byte> written() const noexcept { return {buffer_.data(), used_}; }

  /// Returns the bytes without a copy; the writer is empty afterwards.
  std::vector<std::byte> take();

  /// Removes the bytes and keeps the memory.
  void clear() noexcept {
    used_ = counted_ = 0;
    exported_block_ = {};
  }

 private:
  static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

  template <class Number>
  [[gnu::noinline]] void append_number(Number value) {
    bytes(&value, sizeof value);
  }
  void append_and_grow(const void* source, std::size_t count);
  void make_room(std::size_t count);
  void export_block(const void* source, std::size_t count);
  void leave();

  std::vector<std::byte> buffer_;  // longer than used_ by some spare bytes, so that small values need no call
  std::size_t used_ = 0;
  std::size_t counted_ = 0;   // bytes that are not kept: absent ones, and those passed to the sink
  bool counts_only_ = false;  // the buffer stays empty, so that there is room for no byte
  std::size_t depth_ = 0;
  std::size_t export_from_ = never;
  std::size_t copy_below_ = never;  // value of `export_from_` while a `copying` lives
  byte_sink* sink_ = nullptr;
  separate_block exported_block_;
  detail::part_carrier* carrier_ = nullptr;
  const detail::version_place* version_ = nullptr;
};

}  // namespace imbrex
