// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <imbrex/base/error.hpp>

namespace imbrex {

/// A failure of a device's operation, or of the device itself. Its text names the device, the owner, the
/// operation and the reason.
class device_error : public error {
 public:
  /// `device`: as from `device_info::label`; `owner`: of the stream, empty if there is no stream.
  device_error(std::string device, std::string owner, std::string operation, std::string_view reason);

  const std::string& device() const noexcept { return device_; }
  const std::string& owner() const noexcept { return owner_; }
  const std::string& operation() const noexcept { return operation_; }

 private:
  std::string device_;
  std::string owner_;
  std::string operation_;
};

namespace detail {

/// The stream's name in errors: "the stream of block[3]"; its owner may have no name.
std::string stream_of(const std::string& owner);

}  // namespace detail

/// A device, or the host memory that devices reach, has no room left.
class device_out_of_memory : public device_error {
 public:
  /// `what` is the kind of memory, "device memory" or "pinned host memory"; sizes in bytes.
  device_out_of_memory(std::string device, std::string owner, std::string_view what, std::size_t size,
                       std::size_t free);

  std::size_t requested_bytes() const noexcept { return requested_bytes_; }
  std::size_t free() const noexcept { return free_; }

 private:
  std::size_t requested_bytes_;
  std::size_t free_;
};

}  // namespace imbrex
