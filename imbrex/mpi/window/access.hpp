// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <imbrex/mpi/datatype/pack.hpp>

namespace imbrex::mpi {

struct packet;

/// The kind of a packet about a window, from one rank to another: a request, a reply or a notification.
enum class access_kind : std::uint8_t {
  put,
  get,
  accumulate,
  get_accumulate,
  compare_and_swap,  ///< the data are the new value and the value to compare with
  flush,             ///< requests a `flushed` once all earlier accesses of the sender are done
  flushed,
  lock,
  granted,
  unlock,  ///< releases the lock; flushes, too
  post,    ///< the sender has begun an exposure
  end,     ///< the sender has ended its accesses to the receiver's exposure
};

/// The beginning of each packet of one-sided communication.
struct access_header {
  access_kind kind = access_kind::put;
  bool is_exclusive = false;      ///< whether a requested lock is exclusive
  bool wants_answer = false;      ///< whether an unlock requests a reply
  bool follows = false;           ///< the data come as a separate message
  std::int32_t operation = 0;     ///< handle of the accumulate's operation
  std::int32_t tag = 0;           ///< tag of the separate messages: data and result
  std::uint32_t type_length = 0;  ///< number of integers that describe the target's type
  std::int64_t place = 0;         ///< origin of the type in the target's memory: offset or address
  std::int64_t count = 0;
  std::int64_t bytes = 0;  ///< length of the data
};

/// A view of a received packet of one-sided communication.
class access_packet {
 public:
  /// Throws serial_error if the packet is truncated.
  explicit access_packet(const packet& p);

  const access_header& header() const { return header_; }
  std::span<const std::int64_t> type() const { return type_; }
  /// The data, of the header's `bytes` bytes; absent if they follow as a separate message.
  const std::byte* data() const { return data_; }

 private:
  access_header header_;
  std::span<const std::int64_t> type_;
  const std::byte* data_;
};

/// A new packet with a header and a description of the target's type. `data` is where to write data that
/// travel with the packet.
struct access_message {
  packet& message;
  std::byte* data;
};
access_message make_access(const access_header& header, std::span<const std::int64_t> type);

}  // namespace imbrex::mpi
