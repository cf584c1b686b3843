// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <imbrex/device/pooled_memory.hpp>

namespace imbrex {

class reader;
class writer;

namespace detail {

/// A piece of the contents of a `attachment` in transfer between devices. It is on the host, or it is all of
/// the contents, in device memory that the network reads and writes.
class part_piece {
 public:
  part_piece() noexcept = default;
  /// A piece of `bytes` bytes from `first` on, in pinned memory of that device. Throws
  /// `device_out_of_memory`.
  part_piece(imbrex::device& of, std::uint64_t first, std::size_t bytes);
  /// A piece of `bytes` bytes in a device's memory, which must stay until they have arrived.
  part_piece(const void* in_device, std::size_t bytes) noexcept : in_device_(in_device), bytes_(bytes) {}
  part_piece(part_piece&&) noexcept = default;
  part_piece& operator=(part_piece&&) = delete;
  /// Frees the memory, without quarantine if no copy uses it.
  ~part_piece();

  std::uint64_t first() const noexcept { return first_; }
  std::size_t bytes() const noexcept { return bytes_; }
  bool has_data() const noexcept { return has_data_; }
  /// The bytes on the host; null without data.
  std::byte* data() const noexcept;
  /// True if the piece has arrived in device memory, which `take_landed` returns.
  bool has_arrived_on_device() const noexcept { return bool(landed_); }
  pooled_memory take_landed() noexcept { return std::move(landed_); }
  /// Moves a piece in other memory to pinned memory. False if there is none: it stays in the other memory.
  bool pin(imbrex::device& of);

  /// Note that copies between devices and the host that use the memory have begun, or have ended.
  void is_used() noexcept { used_ = true; }
  void is_at_rest() noexcept { used_ = false; }

  void serialize(writer& out) const;
  /// Reads the piece into pinned memory of that device; into other memory if `here` is null or has none. A
  /// piece that the network itself transfers between devices arrives in device memory.
  void serialize(reader& in, imbrex::device* here);

 private:
  bool serialize_to_device(reader& in, imbrex::device& here);

  const void* in_device_ = nullptr;
  pooled_memory landed_;
  pooled_memory pinned_;
  std::unique_ptr<std::byte[]> plain_;
  std::uint64_t first_ = 0;
  std::size_t bytes_ = 0;
  bool has_data_ = true;
  bool used_ = false;
};

}  // namespace detail
}  // namespace imbrex
