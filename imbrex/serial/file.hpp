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

/// A new file, which takes its place when it is whole.
class file_writer final : public byte_sink {
 public:
  /// Throws imbrex::error if the file cannot be written, as the other functions do.
  file_writer(const std::string& file, const file_type& type);
  ~file_writer();
  file_writer(const file_writer&) = delete;
  file_writer& operator=(const file_writer&) = delete;

  void take(std::span<const std::byte> bytes) override;
  /// Takes the last bytes, and puts the file in its place.
  void finish(std::span<const std::byte> last);

  /// Blocks of so many bytes go to the file from where they are.
  static constexpr std::size_t least_block = 1 << 16;

 private:
  class state;
  const std::unique_ptr<state> state_;
};

/// A file that is whole.
class file_contents {
 public:
  /// Throws imbrex::error if the file cannot be read, and serial_error if it is none, is damaged, or differs
  /// from that type.
  file_contents(const std::string& file, const file_type& wanted);

  /// The bytes of the value.
  std::span<const std::byte> bytes() const { return value_; }
  /// Throws serial_error if what is now known of the type differs.
  void check(const file_type& read) const;
  [[noreturn]] void refuse(const serial_error& what) const;

 private:
  const std::string name_;
  std::unique_ptr<std::byte[]> memory_;
  std::span<const std::byte> value_;
  file_type type_;
};

}  // namespace detail

/// Writes a value to a file, replacing the whole file. Throws imbrex::error if the file cannot be written.
template <class T>
void to_file(const std::string& file, const T& value) {
  detail::file_writer to(file, detail::type_in_file(value));
  writer out;
  out.write_through(to, detail::file_writer::least_block);
  out(value);
  to.finish(out.written());
}

/// Reads a value that `to_file` has written on a machine of the same kind, in a program with the same types.
/// Throws imbrex::error if the file cannot be read. Throws serial_error, with the file's name, if it is of
/// another kind, truncated or damaged, or holds another type.
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
