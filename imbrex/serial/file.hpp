// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <imbrex/serial/bytes.hpp>

namespace imbrex {
namespace detail {

void write_bytes_file(const std::string& file, std::span<const std::byte> bytes);
std::vector<std::byte> read_bytes_file(const std::string& file);
[[noreturn]] void throw_in_file(const std::string& file, const serial_error& what);

}  // namespace detail

/// Writes a value to a file, which is replaced as a whole. Throws imbrex::error if the file cannot be
/// written.
template <class T>
void to_file(const std::string& file, const T& value) {
  detail::write_bytes_file(file, to_bytes(value));
}

/// The value of a file that `to_file` has written on a machine of the same kind, from a program with the same
/// types. Throws imbrex::error if the file cannot be read, and serial_error, with its name, if it is none of
/// these, is cut off or damaged, or holds another type.
template <class T>
T from_file(const std::string& file) {
  static_assert(!detail::is_view<T>,
                "imbrex: a view into a file's bytes would outlive them: use std::vector");
  const std::vector<std::byte> bytes = detail::read_bytes_file(file);
  try {
    return from_bytes<T>(bytes);
  } catch (const serial_error& what) {
    detail::throw_in_file(file, what);
  }
}

}  // namespace imbrex
