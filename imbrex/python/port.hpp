// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/python/classes.hpp>
#include <imbrex/python/device_content.hpp>
#include <imbrex/python/proxy.hpp>

namespace imbrex::python {

/// A mailbox or channel of a chare.
class port {
 public:
  explicit port(const member_record& of) : of_(of) {}

  const member_record& of() const { return of_; }
  mailbox<loaded_parcel>& values() { return values_; }

  /// Drops unread values when the chare ends; the program may keep the Python object of the port longer.
  void drop_unread() { const mailbox<loaded_parcel> dropped(std::move(values_)); }

  /// Delivers a received value.
  void put(std::int64_t reference, loaded_parcel value);

  // For channels only.

  void connect(const proxy& to, const member_record& port_there);
  /// The chare at the other end. Throws imbrex::error if the channel is not connected.
  const proxy& other() const;
  const member_record& port_there() const { return *port_there_; }
  std::int64_t next_to_send() { return sent_++; }
  auto receive_next() { return values_.receive_in_order(&received_); }

  /// The connection and the unread values migrate with the chare.
  template <class Archive>
  void serialize(Archive& ar) {
    auto other = packed_other();
    ar(values_, sent_, received_, other);
    if constexpr (Archive::reading) unpack_other(other);
  }

 private:
  struct packed_end {
    bool is_connected = false;
    parcel chare{};
    entry_name port{};
  };
  packed_end packed_other() const;
  void unpack_other(const packed_end& other);

  const member_record& of_;
  mailbox<loaded_parcel> values_;
  std::int64_t sent_ = 0;
  std::int64_t received_ = 0;
  std::optional<proxy> other_;
  const member_record* port_there_ = nullptr;
};

}  // namespace imbrex::python
