// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include <imbrex/serial/bytes.hpp>
#include <imbrex/serial/class_schema.hpp>

namespace imbrex {
namespace detail {

/// A new file, which replaces the old one when it is complete.
class file_writer final : public byte_sink {
 public:
  /// Throws imbrex::error if the file cannot be written, as the other functions do.
  file_writer(const std::string& file, const class_schema& type);
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
  /// Throws imbrex::error if the file cannot be read. Throws serial_error if it is no file of `to_file`, or
  /// is damaged.
  explicit file_contents(const std::string& file);

  /// Bytes of the value.
  std::span<const std::byte> bytes() const { return value_; }
  const class_schema& type() const { return type_; }
  /// Throws serial_error if the file's type differs from `read`, the type with the fields that the value has
  /// shown.
  void check(const class_schema& read) const;
  /// Throws serial_error for a value that cannot be read: by the difference to the type that is expected, if
  /// there is one, or else by what reading has thrown.
  [[noreturn]] void refuse(const class_schema& present, const serial_error& what) const;

 private:
  const std::string name_;
  std::unique_ptr<std::byte[]> memory_;
  std::span<const std::byte> value_;
  class_schema type_;
};

}  // namespace detail

/// Writes a value to a file, replacing the whole file: a concurrent reader or writer gets the former value or
/// a new one, also after a crash of the host. The file has the schema of the value's type. Throws
/// imbrex::error if the file cannot be written in this way, for example because it is no regular file.
template <class T>
void to_file(const std::string& file, const T& value) {
  check_serializable<T>();
  detail::file_writer to(file, schema_of(value));
  writer out;
  out.write_through(to, detail::file_writer::least_block);
  out(value);
  to.finish(out.written());
}

/// Reads a value that `to_file` has written. The writer was on a machine of the same kind, in a program of
/// the same compiler with the same types, or with classes of a lower `version`. Throws imbrex::error if the
/// file cannot be read. Throws serial_error, with the file's name, if it is of another kind, truncated or
/// damaged, or holds another type. Another type is a class of another name, or one whose fields have other
/// types.
template <class T>
T from_file(const std::string& file) {
  static_assert(!detail::is_view<T>,
                "imbrex: a view into a file's bytes would outlive them: use std::vector");
  check_serializable<T>();
  T value{};
  const detail::file_contents contents(file);
  const class_schema present = schema_of(value);
  try {
    const versions_of_schema versions(contents.type());
    reader in(contents.bytes());
    in.at_version(versions.place());
    in(value);
    in.finish();
    contents.check(schema_of(value));
    return value;
  } catch (const serial_error& what) {
    contents.refuse(present, what);
  }
}

}  // namespace imbrex
