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

/// Some of the contents of a `device_part` on the way from one device to another: on the host, or all of them
/// in memory of devices, which the network reads and writes.
class part_piece {
 public:
  part_piece() noexcept = default;
  /// In pinned memory of that device, for so many bytes from there on. Throws `device_out_of_memory`.
  part_piece(imbrex::device& of, std::uint64_t first, std::size_t bytes);
  /// So many bytes of a device's memory, which stay until they have come.
  part_piece(const void* in_device, std::size_t bytes) noexcept : in_device_(in_device), bytes_(bytes) {}
  part_piece(part_piece&&) noexcept = default;
  part_piece& operator=(part_piece&&) = delete;
  /// Gives the memory back, where nothing uses it any more.
  ~part_piece();

  std::uint64_t first() const noexcept { return first_; }
  std::size_t bytes() const noexcept { return bytes_; }
  bool has_data() const noexcept { return has_data_; }
  /// On the host; null without data.
  std::byte* data() const noexcept;
  /// True if it has come to memory of the device, which is then taken over.
  bool has_come_to_device() const noexcept { return bool(landed_); }
  pooled_memory take_landed() noexcept { return std::move(landed_); }
  /// Moves it to pinned memory, where it is in other memory. False if there is none: it stays where it is.
  bool pin(imbrex::device& of);

  /// Copies between devices and the host that use the memory have begun; they have ended.
  void is_used() noexcept { used_ = true; }
  void is_at_rest() noexcept { used_ = false; }

  void serialize(writer& out) const;
  /// Reads it to pinned memory of that device; if that is null, or has none, to other memory. What the
  /// network itself takes from a device and puts there comes to memory of the device.
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
