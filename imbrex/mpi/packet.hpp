// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <imbrex/core/array/location.hpp>
#include <imbrex/core/message/message.hpp>

namespace imbrex::mpi {

/// What messages are matched by.
struct envelope {
  std::uint64_t context = 0;  ///< of a communicator, and of one of the purposes that it has
  std::int32_t source = 0;    ///< the sender's rank in the communicator
  std::int32_t tag = 0;
};

/// How the data of a packet travel.
enum class packet_form : std::uint8_t {
  eager,       ///< behind the packet
  offered,     ///< they lie with the sender until the receiver asks for them, or takes them from its memory
  withdrawal,  ///< it has none: the sender wants the packet back that has the same number for its offer
  access,      ///< behind the packet, of one-sided communication: no receive takes them
  shared,      ///< as `offered`, in memory of a device, whose key for other processes lies behind the packet
};
constexpr bool has_data_behind(packet_form form) {
  return form == packet_form::eager || form == packet_form::access;
}
constexpr bool is_offer(packet_form form) {
  return form == packet_form::offered || form == packet_form::shared;
}

/// A message of one rank to another, which the receiver keeps until it is received. Its data, if they travel
/// with it, lie behind the object.
struct packet : detail::element_message<std::uint64_t> {
  envelope head;
  packet_form form = packet_form::eager;
  std::uint32_t from = 0;      ///< the sender among all ranks
  std::uint32_t sequence = 0;  ///< how many packets that sender has sent to this receiver before
  std::uint64_t size = 0;      ///< of the message's data, in bytes
  std::uint64_t held = 0;      ///< of those behind the object
  // Where the data are offered:
  std::uint32_t process = 0;
  std::uint64_t address = 0;
  std::uint64_t offer = 0;  ///< the sender's number for it
  // Among the unexpected ones of a rank (`matcher`).
  packet* older = nullptr;
  packet* newer = nullptr;
  packet* next_of_source = nullptr;
  packet* previous_of_source = nullptr;

  /// Of the PE that runs here, with room for data.
  static packet& make(std::size_t bytes);
  static void release(packet& p) noexcept;
  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  const std::byte* data() const { return reinterpret_cast<const std::byte*>(this + 1); }

  void serialize(writer& out);
  static detail::work* unpack(reader& in);
  void deliver();

  struct record : detail::message_type {
    record();
  };
  static record type_record;
};

/// The receiver asks for data that were offered to it.
struct pull : detail::element_message<std::uint64_t> {
  std::uint64_t offer = 0;
  std::uint64_t wanted = 0;   ///< bytes
  std::uint32_t to = 0;       ///< who asks, among all ranks
  std::uint64_t receive = 0;  ///< its number for the receive

  static inline detail::message_type type_record = detail::runtime_message_type<pull>();
  void serialize(auto& ar) { ar(key, offer, wanted, to, receive); }
  void deliver();
};

/// The data that were asked for. They are not copied before they leave, and come to lie in the buffer of the
/// receive where the network can put them there.
struct long_data : detail::element_message<std::uint64_t> {
  std::uint64_t receive = 0;
  std::uint32_t from = 0;
  std::uint64_t offer = 0;
  const std::byte* bytes = nullptr;
  std::uint64_t size = 0;
  bool has_landed = false;

  static inline detail::message_type type_record = detail::runtime_message_type<long_data>();
  long_data() = default;
  long_data(const long_data&) = delete;
  long_data& operator=(const long_data&) = delete;
  ~long_data();
  void serialize(writer& out);
  void serialize(reader& in);
  void deliver();

 private:
  std::byte* own_ = nullptr;  ///< of a pool, where no receive was found that they could land in
};

/// What has become of an offer.
enum class offer_outcome : std::uint8_t {
  taken,      ///< the data have been received
  withdrawn,  ///< nobody receives them
  matched,    ///< it cannot be withdrawn any more
};
struct offer_answer : detail::element_message<std::uint64_t> {
  std::uint64_t offer = 0;
  offer_outcome outcome = offer_outcome::taken;

  static inline detail::message_type type_record = detail::runtime_message_type<offer_answer>();
  void serialize(auto& ar) { ar(key, offer, outcome); }
  void deliver();
};

class rank;

/// A call of a function where a rank of this process is.
struct local_call : detail::element_message<std::uint64_t> {
  void (*function)(rank& there, void* object, std::uint64_t what) = nullptr;
  void* object = nullptr;
  std::uint64_t what = 0;

  static inline detail::message_type type_record = detail::runtime_message_type<local_call>();
  void serialize(auto&) { throw_local(); }
  void deliver();

 private:
  [[noreturn]] static void throw_local();
};

/// A rank that has moved, or wants its turn after all others, goes on.
struct turn : detail::element_message<std::uint64_t> {
  static inline detail::message_type type_record = detail::runtime_message_type<turn>();
  void serialize(auto& ar) { ar(key); }
  void deliver();
};

}  // namespace imbrex::mpi
