// SPDX-License-Identifier: Apache-2.0
#include <imbrex/serial/archive.hpp>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace imbrex {

void writer::align(std::size_t alignment) {
  static constexpr std::byte zeros[64] = {};
  std::size_t missing = (alignment - (used_ + counted_) % alignment) % alignment;
  for (; missing > sizeof zeros; missing -= sizeof zeros) bytes(zeros, sizeof zeros);
  bytes(zeros, missing);
}

std::vector<std::byte> writer::take() {
  buffer_.resize(std::exchange(used_, 0));
  exported_block_ = {};
  return std::exchange(buffer_, {});
}

namespace {

constexpr std::size_t spare = 256;
constexpr std::size_t least_to_sink = 1 << 16;

}  // namespace

void writer::make_room(std::size_t count) {
  if (sink_ != nullptr) leave();
  buffer_.resize(std::max(buffer_.size(), used_ + count + spare));
}

/// Passes the written bytes to the sink.
void writer::leave() {
  sink_->take(written());
  counted_ += std::exchange(used_, 0);
}

void writer::append_and_grow(const void* source, std::size_t count) {
  const auto* first = static_cast<const std::byte*>(source);
  if (sink_ != nullptr && used_ >= least_to_sink) {
    leave();
    return bytes(source, count);
  }
  buffer_.resize(used_);
  if (buffer_.capacity() - used_ < count + spare)
    buffer_.reserve(std::max(2 * buffer_.capacity(), used_ + count + spare));
  buffer_.insert(buffer_.end(), first, first + count);  // unlike resize, this does not clear the bytes first
  used_ = buffer_.size();
  buffer_.resize(used_ + spare);
}

void writer::export_block(const void* source, std::size_t count) {
  if (sink_ != nullptr) {
    leave();
    sink_->take({static_cast<const std::byte*>(source), count});
    counted_ += count;
    return;
  }
  if (!exported_block_.bytes.empty()) return bytes(source, count);
  exported_block_ = {{static_cast<const std::byte*>(source), count}, used_};
}

void reader::rest(std::byte* target) {
  if (block_unread_ != 0) {
    if (block_.position < position_ || block_.position > input_.size())
      detail::throw_truncated(block_.size, 0, block_.position);
    const std::size_t before = block_.position - position_;
    bytes(target, before);
    target += before;
    if (block_.bytes != nullptr)
      std::memcpy(target, block_.bytes, block_.size);
    else
      place_of_block_ = target;
    target += std::exchange(block_unread_, 0);
  }
  bytes(target, input_.size() - position_);
}

namespace detail {

namespace {
std::string text(std::uint64_t value) { return std::to_string(value); }
}  // namespace

void throw_truncated(std::size_t needed, std::size_t left, std::size_t position) {
  throw serial_error("truncated message: " + text(needed) + " bytes wanted at byte " + text(position) + ", " +
                     text(left) + " left");
}

void throw_unread(std::size_t left, std::size_t size) {
  throw serial_error("oversized message: " + text(left) + " of " + text(size) +
                     " bytes are left over; was it written from other types than it is read into?");
}

void throw_oversized(std::uint64_t count, std::size_t bytes_each, std::size_t left) {
  throw serial_error("malformed message: a length of " + text(count) + " elements of at least " +
                     text(bytes_each) + " bytes, " + text(left) + " bytes left");
}

void throw_out_of_range(const char* what, std::uint64_t value, std::uint64_t limit) {
  throw serial_error(std::string("malformed message: ") + what + " is " + text(value) + ", not below " +
                     text(limit));
}

void throw_misaligned(std::size_t alignment) {
  throw serial_error("a view into a message that does not lie at a multiple of " + text(alignment) +
                     " bytes");
}

void throw_too_deep(std::size_t limit) {
  throw serial_error("values nested more than " + text(limit) +
                     " deep: send a flat container, with indices in place of nesting");
}

void throw_valueless() {
  throw serial_error("a variant that lost its value to an exception cannot be written");
}

}  // namespace detail
}  // namespace imbrex
