// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace imbrex::tools {

/// One Protocol Buffers message, encoded field by field. `clear` keeps its memory.
class protobuf_message {
 public:
  void number(std::uint32_t field, std::uint64_t value) {
    varint(field << 3U);
    varint(value);
  }
  void fixed(std::uint32_t field, std::uint64_t value) {
    varint(field << 3U | 1U);
    for (int k = 0; k < 8; ++k) bytes_ += static_cast<char>(value >> 8 * k);
  }
  void text(std::uint32_t field, std::string_view value) {
    varint(field << 3U | 2U);
    varint(value.size());
    bytes_ += value;
  }
  void message(std::uint32_t field, const protobuf_message& value) { text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7U) bytes_ += static_cast<char>(value | 128U);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace imbrex::tools
