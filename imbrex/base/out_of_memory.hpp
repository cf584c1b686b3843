// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <new>
#include <string_view>

namespace imbrex {

/// Memory that the system refused. Its text has the figures of that moment, and is part of it: so it can be
/// told where there is no memory.
class out_of_memory : public std::bad_alloc {
 public:
  out_of_memory() noexcept;
  /// With the text of another one, which has come from another process.
  explicit out_of_memory(std::string_view text) noexcept;

  const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 320> text_{};
};

/// Throws `out_of_memory`, and lets a reserve go first.
[[noreturn]] void throw_out_of_memory();

/// As long as one lives, what operator new refuses is an `out_of_memory`, unless the program has a handler of
/// its own (std::set_new_handler); and some memory is kept to be let go then, so that an error can be told
/// and the program end in order. Any number at once.
class memory_reserve {
 public:
  memory_reserve();
  ~memory_reserve();
  memory_reserve(const memory_reserve&) = delete;
  memory_reserve& operator=(const memory_reserve&) = delete;
};

}  // namespace imbrex
