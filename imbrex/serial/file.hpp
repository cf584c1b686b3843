// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <imbrex/serial/bytes.hpp>
#include <imbrex/serial/file_type.hpp>

namespace imbrex {
namespace detail {

/// A new file, which replaces the old one when it is complete.
class file_writer final : public byte_sink {
 public:
  /// Throws imbrex::error if the file cannot be written, as the other functions do.
  file_writer(const std::string& file, const file_type& type);
  ~file_writer();
  file_writer(const file_writer&) = delete;
  file_writer& operator=(const file_writer&) = delete;

  void take(std::span<const std::byte> bytes) override;
  /// Writes the last bytes, and replaces the old file.
  void finish(std::span<const std::byte> last);

  /// Minimum size of a block that goes to the file without a copy.
  static constexpr std::size_t least_block = 1 << 16;

 private:
  class state;
  const std::unique_ptr<state> state_;
};

/// A complete file, with its value's bytes and type.
class file_contents {
 public:
  /// Throws imbrex::error if the file cannot be read. Throws serial_error if it is no file of `to_file`, is
  /// damaged, or holds another type.
  file_contents(const std::string& file, const file_type& expected_type);

  /// Bytes of the value.
  std::span<const std::byte> bytes() const { return value_; }
  /// Throws serial_error if the file's type differs from `read`, the type with the fields that the value has
  /// shown.
  void check(const file_type& read) const;
  [[noreturn]] void refuse(const serial_error& what) const;

 private:
  const std::string name_;
  std::unique_ptr<std::byte[]> memory_;
  std::span<const std::byte> value_;
  file_type type_;
};

}  // namespace detail

/// Writes a value to a file, replacing the whole file: a concurrent reader or writer gets the former value or
/// a new one. The file names the value's type. Throws imbrex::error if the file cannot be written in this
/// way, for example because it is no regular file.
template <class T>
void to_file(const std::string& file, const T& value) {
  check_serializable<T>();
  detail::file_writer to(file, detail::type_in_file(value));
  writer out;
  out.write_through(to, detail::file_writer::least_block);
  out(value);
  to.finish(out.written());
}

/// Reads a value that `to_file` has written. The writer was on a machine of the same kind, in a program of
/// the same compiler with the same types. Throws imbrex::error if the file cannot be read. Throws
/// serial_error, with the file's name, if it is of another kind, truncated or damaged, or holds another type.
/// Another type is a class of another name, or one whose fields have other types.
template <class T>
T from_file(const std::string& file) {
  static_assert(!detail::is_view<T>,
                "imbrex: a view into a file's bytes would outlive them: use std::vector");
  const detail::file_contents contents(file, detail::type_in_file<T>());
  try {
    T value = from_bytes<T>(contents.bytes());
    contents.check(detail::type_in_file(value));
    return value;
  } catch (const serial_error& what) {
    contents.refuse(what);
  }
}

}  // namespace imbrex
