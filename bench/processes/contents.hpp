// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>

#include <imbrex/base/error.hpp>

namespace bench {

/// The contents of a message, chosen so that lost, mixed up or missing bytes are detected.
enum class contents : std::uint64_t { there = 1, back = 2, wrong = 3 };

/// Byte `place` of a message of `size` bytes. No byte of `there` equals one of `back` or `wrong`, and none is
/// zero.
inline std::byte byte_of(contents which, std::size_t size, std::size_t place) {
  const std::uint64_t mixed = (size * 31 + place) * 0x9E3779B97F4A7C15U >> 58U;  // 0 to 63
  return static_cast<std::byte>(mixed + 64 * static_cast<std::uint64_t>(which));
}

inline void fill(std::span<std::byte> bytes, contents which) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byte_of(which, bytes.size(), i);
}

/// True if the bytes are those of a message of `size` bytes.
inline bool holds(std::span<const std::byte> bytes, contents which, std::size_t size) {
  if (bytes.size() != size) return false;
  for (std::size_t i = 0; i < size; ++i)
    if (bytes[i] != byte_of(which, size, i)) return false;
  return true;
}

/// The size of the reply to a window of messages, in bytes.
inline constexpr std::size_t answer_bytes = 4;

[[noreturn]] inline void throw_wrong_contents(std::size_t size) {
  throw imbrex::error("the messages of " + std::to_string(size) +
                      " bytes did not arrive as they were sent: what was measured is worthless");
}

/// Buffers at page boundaries, as OSU's; filled with zeros.
class buffers {
 public:
  buffers(int count, std::size_t bytes)
      : count_(static_cast<std::size_t>(count)),
        bytes_(bytes),
        stride_((bytes + page - 1) / page * page),
        memory_(new(std::align_val_t{page}) std::byte[count_ * stride_]()) {}

  std::span<std::byte> of(int message) const {
    return {memory_.get() + static_cast<std::size_t>(message) % count_ * stride_, bytes_};
  }
  void fill_all(contents which) const {
    for (std::size_t i = 0; i < count_; ++i) fill(of(static_cast<int>(i)), which);
  }

 private:
  static constexpr std::size_t page = 4096;
  struct release {
    void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{page}); }
  };

  std::size_t count_;
  std::size_t bytes_;
  std::size_t stride_;
  std::unique_ptr<std::byte[], release> memory_;
};

}  // namespace bench
