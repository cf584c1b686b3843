// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/part_piece.hpp>

#include <cstring>
#include <string>

#include <imbrex/serial/archive.hpp>

namespace imbrex::detail {

namespace {

// Forms of a piece in a message.
constexpr std::uint8_t has_no_data = 0, is_on_host = 1, is_on_device = 2;

}  // namespace

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

bool part_piece::pin(imbrex::device& of) {
  if (pinned_) return true;
  try {
    pinned_ = pooled_memory(of, memory_kind::pinned, bytes_, 1);
  } catch (const device_out_of_memory&) {
    return false;
  }
  if (has_data_) std::memcpy(pinned_.address(), plain_.get(), bytes_);
  plain_.reset();
  return true;
}

void part_piece::serialize(writer& out) const {
  out.number(first_);
  out.number(static_cast<std::uint64_t>(bytes_));
  out.number(in_device_ != nullptr ? is_on_device : has_data_ ? is_on_host : has_no_data);
  has_data_ ? out.block(in_device_ != nullptr ? in_device_ : data(), bytes_) : out.absent(bytes_);
}

bool part_piece::serialize_to_device(reader& in, imbrex::device& here) {
  if (!in.is_pending(bytes_)) return false;  // short enough to be sent at once, by the host
  try {
    landed_ = pooled_memory(here, memory_kind::device, bytes_, 1);
  } catch (const device_error&) {  // the piece then stays on the host
    return false;
  }
  in.expect(landed_.address());
  return true;
}

void part_piece::serialize(reader& in, imbrex::device* here) {
  std::uint64_t bytes = 0;
  std::uint8_t how = 0;
  in.bytes(&first_, sizeof first_);
  in.bytes(&bytes, sizeof bytes);
  in.bytes(&how, sizeof how);
  if (how > is_on_device || (how != has_no_data && bytes > in.remaining()))
    throw serial_error("malformed message: a piece of " + std::to_string(bytes) +
                       " bytes of a device's memory, which it does not hold");
  bytes_ = bytes;
  has_data_ = how != has_no_data;
  if (!has_data_) return;
  if (how == is_on_device && here != nullptr && serialize_to_device(in, *here)) return;
  try {
    if (here != nullptr) pinned_ = pooled_memory(*here, memory_kind::pinned, bytes_, 1);
  } catch (const device_error&) {  // other memory is used
  }
  if (!pinned_) plain_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
  if (in.is_pending(bytes_)) return in.expect(data());
  std::memcpy(data(), in.view(bytes_).data(), bytes_);
}

}  // namespace imbrex::detail
