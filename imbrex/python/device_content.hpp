// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <imbrex/core/extension/device.hpp>
#include <imbrex/core/extension/durable_names.hpp>
#include <imbrex/core/gpu/shared_device_buffer.hpp>
#include <imbrex/python/parcel.hpp>

namespace imbrex::python {

/// The elements of a device array in a message. With one receiver, the receiver gets the memory; with many,
/// each receiver gets a copy. The elements stay on the sender's device until a receiver takes them.
class device_content {
 public:
  static constexpr bool is_placed_by_receiver = true;

  device_content() = default;
  explicit device_content(detail::attachment&& for_one)
      : for_one_(std::make_unique<detail::attachment>(std::move(for_one))) {}
  explicit device_content(const shared_device_buffer<std::byte>& for_many) : for_many_(for_many) {}
  /// Copies only contents for many receivers.
  device_content(const device_content& other) : for_many_(other.for_many_) {}
  device_content(device_content&& other) noexcept = default;
  device_content& operator=(const device_content& other) { return *this = device_content(other); }
  device_content& operator=(device_content&& other) noexcept = default;
  ~device_content() = default;

  /// Takes the elements; the caller transfers them to its device. The content must not be used afterwards.
  detail::attachment take() { return std::move(*part()); }

  // Called by the runtime.

  detail::attachment* part() { return for_one_ ? for_one_.get() : for_many_.part(); }
  void write(writer& out) {
    out.number(static_cast<std::uint8_t>(for_one_ ? 1 : 0));
    part()->serialize(out);
  }
  void read(reader& in) {
    std::uint8_t is_for_one = 0;
    in.bytes(&is_for_one, sizeof is_for_one);
    for_one_ = is_for_one != 0 ? std::make_unique<detail::attachment>() : nullptr;
    extension::read_attachment(in, *part(), 1);
  }

 private:
  std::unique_ptr<detail::attachment> for_one_;
  shared_device_buffer<std::byte> for_many_;
};

/// Python values, some of which are device arrays.
struct loaded_parcel {
  static constexpr std::string_view shown_as = parcel::shown_as;

  parcel values{};
  std::vector<device_content> arrays{};
};

/// Values that are saved, or were. Throws imbrex::error if arrays of devices are among them.
void archive_durably(extension::name_writer& names, loaded_parcel& p, writer& out);
void archive_durably(extension::name_reader& names, loaded_parcel& p, reader& in);

}  // namespace imbrex::python

namespace imbrex {
namespace detail {

template <>
inline constexpr bool stays_with_device<python::device_content> = true;
template <>
inline constexpr bool is_attachment<python::device_content> = true;

}  // namespace detail

template <>
struct serializer<python::device_content> {
  static void serialize(writer& out, python::device_content& c) { c.write(out); }
  static void serialize(reader& in, python::device_content& c) { c.read(in); }
};

}  // namespace imbrex
