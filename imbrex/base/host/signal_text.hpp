// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace imbrex {

/// A text that is composed and written without allocation, as handlers of signals need it. Text beyond its
/// capacity is dropped.
class signal_text {
 public:
  signal_text& add(std::string_view words) noexcept;
  signal_text& add_number(std::int64_t number) noexcept;
  signal_text& add_hex(std::uint64_t number) noexcept;

  std::string_view text() const noexcept { return {bytes_, size_}; }
  void clear() noexcept { size_ = 0; }
  /// Writes the text to a descriptor, as far as possible.
  void write_to(int descriptor) const noexcept;

 private:
  char bytes_[2048];
  std::size_t size_ = 0;
};

}  // namespace imbrex
