// SPDX-License-Identifier: Apache-2.0
#pragma once
// Errors of reading and writing. Their texts are made in archive.cpp, outside of inlined code.

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace imbrex {

/// Error about bytes that cannot be read as the requested type (truncated, oversized, malformed), or about a
/// value that cannot be written. The text has the cause and the numbers.
class serial_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

[[noreturn]] void throw_truncated(std::size_t needed, std::size_t left, std::size_t position);
[[noreturn]] void throw_unread(std::size_t left, std::size_t size);
[[noreturn]] void throw_oversized(std::uint64_t count, std::size_t bytes_each, std::size_t left);
[[noreturn]] void throw_out_of_range(const char* what, std::uint64_t value, std::uint64_t limit);
[[noreturn]] void throw_misaligned(std::size_t alignment);
[[noreturn]] void throw_too_deep(std::size_t limit);
[[noreturn]] void throw_valueless();

}  // namespace detail
}  // namespace imbrex
