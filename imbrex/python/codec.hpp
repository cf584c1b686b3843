// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <imbrex/core/extension/durable_names.hpp>
#include <imbrex/python/device_content.hpp>
#include <imbrex/python/interpreter.hpp>
#include <imbrex/python/parcel.hpp>

namespace imbrex::python {

/// The first byte of an encoded value (`encode`): its type.
enum class tag : std::uint8_t {
  none,
  no,
  yes,
  integer,  ///< 64 bits
  real,
  complex,
  text,
  bytes,
  tuple,
  array,         ///< elements follow the head
  array_beside,  ///< elements lie in a block
  scalar,        ///< a NumPy scalar
  proxy,
  pickled,
  device_array,
  arguments,  ///< for an entry: the numbers of those by place and by name, and these
};

/// The bytes and blocks that values are written to.
class encoder {
 public:
  encoder() = default;
  /// For values that outlive the run, with names in place of numbers, unless `names` is null.
  explicit encoder(extension::name_writer* names) : names_(names) {}
  encoder(const encoder&) = delete;
  encoder& operator=(const encoder&) = delete;
  ~encoder() {
    if (!moved_arrays_.empty()) [[unlikely]]
      give_back();
  }

  void raw(const void* source, std::size_t count) { std::memcpy(room(count), source, count); }
  template <class Number>
    requires(std::is_trivially_copyable_v<Number> && !std::is_pointer_v<Number>)
  void number(Number n) {
    raw(&n, sizeof n);
  }
  /// The memory of the next `count` bytes.
  std::byte* room(std::size_t count) {
    if (count > static_cast<std::size_t>(end_ - at_)) [[unlikely]]
      grow(count);
    return std::exchange(at_, at_ + count);
  }
  void add(bytes_block b) { blocks_.push_back(std::move(b)); }
  void add(detail::attachment array) { arrays_.push_back(std::move(array)); }
  /// Takes the memory of an imbrex.DeviceArray that is moved into the message. The destructor gives the
  /// memory back unless `take_loaded` has been called, for example if another value cannot be encoded.
  void add_moved_array(nb::object array);

  extension::name_writer* names() const { return names_; }
  /// The bytes, without blocks.
  std::span<const std::byte> head() const { return {first_, at_}; }
  bool has_blocks() const { return !blocks_.empty(); }
  /// True if arrays of devices are among the values.
  bool is_loaded() const { return !arrays_.empty(); }

  /// Takes everything written; the encoder must not be used afterwards. Throws nb::type_error if device
  /// arrays are among the values: only messages to entries and ports carry them.
  parcel take(bool is_shared = false) {
    if (is_loaded()) [[unlikely]]
      refuse_arrays();
    return take_values(is_shared);
  }
  loaded_parcel take_loaded(bool is_shared = false);

  /// Arrays of more bytes than this lie in a block of their own.
  static constexpr std::size_t longest_inside = 4096;

 private:
  void grow(std::size_t count);
  parcel take_values(bool is_shared) { return {{head()}, std::move(blocks_), is_shared}; }
  [[noreturn]] static void refuse_arrays();
  void give_back() noexcept;

  struct argument {
    nb::object from;
    std::size_t place;  ///< index in arrays_
  };

  extension::name_writer* const names_ = nullptr;
  std::array<std::byte, 512> few_;
  std::vector<std::byte> many_;
  std::byte* first_ = few_.data();
  std::byte* at_ = first_;
  std::byte* end_ = first_ + few_.size();
  std::vector<bytes_block> blocks_;
  std::vector<detail::attachment> arrays_;
  std::vector<argument> moved_arrays_;
};

/// The bytes and blocks that values are read from. The sender runs the same program; lengths are checked all
/// the same. Throws serial_error if the bytes end early.
class decoder {
 public:
  explicit decoder(std::span<const std::byte> head) : at_(head.data()), end_(at_ + head.size()) {}
  /// `names`: of the values if they come from another run, else null.
  explicit decoder(const parcel& p, extension::name_reader* names = nullptr)
      : decoder(std::span<const std::byte>(p.head)) {
    blocks_ = p.blocks;
    may_take_ = !p.is_shared;
    names_ = names;
  }
  /// Takes the device arrays out of `p`.
  explicit decoder(loaded_parcel& p) : decoder(p.values) { arrays_ = p.arrays; }

  const std::byte* raw(std::size_t count) {
    if (count > static_cast<std::size_t>(end_ - at_)) [[unlikely]]
      throw_truncated();
    return std::exchange(at_, at_ + count);
  }
  template <class Number>
  Number number() {
    Number n;
    std::memcpy(&n, raw(sizeof n), sizeof n);
    return n;
  }
  /// The next block. The caller may take its memory if `may_take`, and if the block is its sole owner.
  const bytes_block& next_block() {
    if (blocks_.empty()) throw_truncated();
    const auto& b = blocks_.front();
    blocks_ = blocks_.subspan(1);
    return b;
  }
  bool may_take() const { return may_take_; }
  extension::name_reader* names() const { return names_; }
  /// The next byte.
  const std::byte* position() const { return at_; }
  bool is_at_end() const { return at_ == end_; }
  /// The next device array, on the device where it lies.
  detail::attachment next_array();

 private:
  [[noreturn]] static void throw_truncated();

  const std::byte* at_;
  const std::byte* end_;
  std::span<const bytes_block> blocks_;
  std::span<device_content> arrays_;
  bool may_take_ = true;
  extension::name_reader* names_ = nullptr;
};

}  // namespace imbrex::python
