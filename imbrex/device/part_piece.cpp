// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/part_piece.hpp>

#include <cstring>
#include <string>

#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

part_piece::part_piece(imbrex::device& of, std::uint64_t first, std::size_t bytes)
    : pinned_(of, memory_kind::pinned, bytes, 1),
      first_(first),
      bytes_(bytes),
      has_data_(of.info().keeps_data) {}

part_piece::~part_piece() {
  if (!used_) pinned_.release_at_rest();
}

std::byte* part_piece::data() const noexcept {
  return pinned_ ? static_cast<std::byte*>(pinned_.address()) : plain_.get();
}

void part_piece::pin(imbrex::device& of) {
  if (pinned_) return;
  pooled_memory pinned(of, memory_kind::pinned, bytes_, 1);
  if (has_data_) std::memcpy(pinned.address(), plain_.get(), bytes_);
  pinned_ = std::move(pinned);
  plain_.reset();
}

void part_piece::serialize(writer& out) const {
  out.number(first_);
  out.number(static_cast<std::uint64_t>(bytes_));
  out.number(static_cast<std::uint8_t>(has_data_));
  has_data_ ? out.block(data(), bytes_) : out.absent(bytes_);
}

void part_piece::serialize(reader& in, imbrex::device* here) {
  std::uint64_t bytes = 0;
  std::uint8_t has_data = 0;
  in.bytes(&first_, sizeof first_);
  in.bytes(&bytes, sizeof bytes);
  in.bytes(&has_data, sizeof has_data);
  if (has_data > 1 || (has_data == 1 && bytes > in.remaining()))
    throw serial_error("malformed message: a piece of " + std::to_string(bytes) +
                       " bytes of a device's memory, which it does not hold");
  bytes_ = bytes;
  has_data_ = has_data == 1;
  if (!has_data_) return;
  try {
    if (here != nullptr) pinned_ = pooled_memory(*here, memory_kind::pinned, bytes_, 1);
  } catch (const device_error&) {  // there is other memory
  }
  if (!pinned_) plain_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
  if (in.is_to_come(bytes_)) return in.expect(data());
  std::memcpy(data(), in.view(bytes_).data(), bytes_);
}

}  // namespace imbrex::detail
