// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/host/signal_text.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace imbrex {

namespace {

void add_digits(signal_text& to, std::uint64_t number, unsigned base) noexcept {
  char digits[20];
  std::size_t first = sizeof digits;
  do {
    digits[--first] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number != 0);
  to.add({digits + first, sizeof digits - first});
}

}  // namespace

signal_text& signal_text::add(std::string_view words) noexcept {
  const std::size_t fits = std::min(words.size(), sizeof bytes_ - size_);
  std::copy_n(words.data(), fits, bytes_ + size_);
  size_ += fits;
  return *this;
}

signal_text& signal_text::add_number(std::int64_t number) noexcept {
  if (number < 0) add("-");
  const auto magnitude = static_cast<std::uint64_t>(number);
  add_digits(*this, number < 0 ? -magnitude : magnitude, 10);
  return *this;
}

signal_text& signal_text::add_hex(std::uint64_t number) noexcept {
  add("0x");
  add_digits(*this, number, 16);
  return *this;
}

void signal_text::write_to(int descriptor) const noexcept {
  for (std::size_t written = 0; written < size_;) {
    const ssize_t n = ::write(descriptor, bytes_ + written, size_ - written);
    if (n < 0 && errno != EINTR) return;
    if (n > 0) written += static_cast<std::size_t>(n);
  }
}

}  // namespace imbrex
