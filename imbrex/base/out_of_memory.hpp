// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <new>
#include <string_view>

namespace imbrex {

/// A refused allocation. The text has the figures of that moment, and is part of the object, so that it can
/// be reported without memory.
class out_of_memory : public std::bad_alloc {
 public:
  out_of_memory() noexcept;
  /// Has the text of another one, received from another process.
  explicit out_of_memory(std::string_view text) noexcept;

  const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 320> text_{};
};

/// Throws `out_of_memory`, and releases the reserve first.
[[noreturn]] void throw_out_of_memory();

/// Makes operator new throw `out_of_memory` as long as one lives, unless the program has a handler of its own
/// (std::set_new_handler). It also reserves some memory, released at the throw, so that an error can be
/// reported and the program end in order. Any number at once.
class memory_reserve {
 public:
  memory_reserve();
  ~memory_reserve();
  memory_reserve(const memory_reserve&) = delete;
  memory_reserve& operator=(const memory_reserve&) = delete;
};

}  // namespace imbrex
