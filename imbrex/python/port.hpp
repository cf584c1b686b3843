// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include <imbrex/core/array/mailbox.hpp>
#include <imbrex/core/extension/durable_names.hpp>
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

  /// The connection and the unread values migrate with the chare, and are saved with it.
  template <class Archive>
  void serialize(Archive& ar) {
    bool is_connected = other_.has_value();
    ar(values_, sent_, received_, is_connected);
    if (!is_connected) return;
    auto* const names = extension::names_of(ar);
    parcel chare;
    entry_name there;
    if constexpr (!Archive::reading) {
      chare = packed_other(names);
      there = port_there_->number;
    }
    ar(chare);
    if (names != nullptr)
      extension::archive_durably(*names, there, ar);
    else
      ar(there);
    if constexpr (Archive::reading) connect_again(chare, names, there);
  }

 private:
  parcel packed_other(extension::name_writer* names) const;
  void connect_again(const parcel& chare, extension::name_reader* names, entry_name there);

  const member_record& of_;
  mailbox<loaded_parcel> values_;
  std::int64_t sent_ = 0;
  std::int64_t received_ = 0;
  std::optional<proxy> other_;
  const member_record* port_there_ = nullptr;
};

}  // namespace imbrex::python
