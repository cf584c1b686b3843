// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/core/extension/message_kind.hpp>
#include <imbrex/mpi/rank/envelope.hpp>

namespace imbrex::mpi {

/// Transport of a packet's data.
enum class packet_form : std::uint8_t {
  eager,       ///< data follow the packet in memory
  offered,     ///< data stay with the sender until the receiver requests them or reads its memory
  withdrawal,  ///< no data: the sender wants the packet with this `offer` back
  access,      ///< data follow the packet; one-sided communication, matched by no receive
  shared,      ///< like `offered`, in device memory; its key for other processes follows the packet
};
constexpr bool has_data_behind(packet_form form) {
  return form == packet_form::eager || form == packet_form::access;
}
constexpr bool is_offer(packet_form form) {
  return form == packet_form::offered || form == packet_form::shared;
}

/// A message from one rank to another; the receiver keeps it until it is received. Data that travel with it
/// follow the object in memory.
struct packet : extension::message_to<index<1>> {
  envelope head;
  packet_form form = packet_form::eager;
  std::uint32_t from = 0;      ///< the sender's rank among all
  std::uint32_t sequence = 0;  ///< number of earlier packets from this sender to this receiver
  std::uint64_t size = 0;      ///< bytes of the message's data
  std::uint64_t held = 0;      ///< bytes that follow the object
  // Location of offered data:
  std::uint32_t process = 0;
  std::uint64_t address = 0;
  std::uint64_t offer = 0;  ///< the sender's number of the offer
  // Links of the unexpected messages of a rank (`matcher`).
  packet* older = nullptr;
  packet* newer = nullptr;
  packet* next_of_source = nullptr;
  packet* previous_of_source = nullptr;

  /// Allocates a packet on the running PE, with room for `bytes` bytes of data.
  static packet& make(std::size_t bytes);
  static void release(packet& p) noexcept;
  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  const std::byte* data() const { return reinterpret_cast<const std::byte*>(this + 1); }

  void serialize(writer& out);
  static detail::work* unpack(reader& in);
  void deliver();

  struct record : extension::message_kind {
    record();
  };
  static record type_record;
};

/// Request of a receiver for data that were offered to it.
struct pull : extension::message_to<index<1>> {
  std::uint64_t offer = 0;
  std::uint64_t payload = 0;  ///< bytes
  std::uint32_t to = 0;       ///< the receiver, among all ranks
  std::uint64_t receive = 0;  ///< the receiver's number of the receive

  static inline extension::message_kind type_record = extension::register_kind<pull>();
  void serialize(auto& ar) { ar(key, offer, payload, to, receive); }
  void deliver();
};

/// Reply to a `pull`: the requested data. They are sent from the sender's memory without a copy. Where the
/// network can do so, they land directly in the buffer of the receive.
struct long_data : extension::message_to<index<1>> {
  std::uint64_t receive = 0;
  std::uint32_t from = 0;
  std::uint64_t offer = 0;
  const std::byte* bytes = nullptr;
  std::uint64_t size = 0;
  bool has_landed = false;

  static inline extension::message_kind type_record = extension::register_kind<long_data>();
  long_data() = default;
  long_data(const long_data&) = delete;
  long_data& operator=(const long_data&) = delete;
  ~long_data();
  void serialize(writer& out);
  void serialize(reader& in);
  void deliver();

 private:
  std::byte* own_ = nullptr;  ///< pool memory, used if no receive to land in was found
};

/// Outcome of an offer.
enum class offer_outcome : std::uint8_t {
  taken,      ///< the data have been received
  withdrawn,  ///< no receive has matched; the sender has its data back
  matched,    ///< matched already; no longer withdrawable
};
struct offer_answer : extension::message_to<index<1>> {
  std::uint64_t offer = 0;
  offer_outcome outcome = offer_outcome::taken;

  static inline extension::message_kind type_record = extension::register_kind<offer_answer>();
  void serialize(auto& ar) { ar(key, offer, outcome); }
  void deliver();
};

class rank;

/// A function call on the PE of another rank of this process.
struct local_call : extension::message_to<index<1>> {
  void (*function)(rank& there, void* object, std::uint64_t what) = nullptr;
  void* object = nullptr;
  std::uint64_t what = 0;

  static inline extension::message_kind type_record = extension::register_kind<local_call>();
  void serialize(auto&) { throw_local(); }
  void deliver();

 private:
  [[noreturn]] static void throw_local();
};

/// Wakes a rank that has moved, or that has yielded to all others.
struct turn : extension::message_to<index<1>> {
  static inline extension::message_kind type_record = extension::register_kind<turn>();
  void serialize(auto& ar) { ar(key); }
  void deliver();
};

}  // namespace imbrex::mpi
