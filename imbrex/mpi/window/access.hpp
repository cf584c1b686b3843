// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <imbrex/mpi/datatype/pack.hpp>
#include <imbrex/mpi/packet.hpp>

namespace imbrex::mpi {

/// What one rank asks of the window of another, or tells it.
enum class access_kind : std::uint8_t {
  put,
  get,
  accumulate,
  get_accumulate,
  compare_and_swap,  ///< its data are the value and what is compared
  flush,             ///< to be answered when all before have been done
  flushed,
  lock,
  granted,
  unlock,  ///< flushes, too
  post,    ///< an exposure has begun
  end,     ///< the accesses to an exposure have ended
};

/// What stands at the begin of a packet of one-sided communication.
struct access_header {
  access_kind kind = access_kind::put;
  bool is_exclusive = false;      ///< of a lock
  bool wants_answer = false;      ///< of an unlock
  bool follows = false;           ///< the data come as a message of their own
  std::int32_t operation = 0;     ///< its handle
  std::int32_t tag = 0;           ///< of messages that belong to it
  std::uint32_t type_length = 0;  ///< of the numbers that describe the target's type
  std::int64_t place = 0;         ///< where its origin is in the target's memory
  std::int64_t count = 0;
  std::int64_t bytes = 0;  ///< of the data
};

/// A packet read, or to be filled.
class access_packet {
 public:
  /// Throws serial_error if it is cut off.
  explicit access_packet(const packet& p);

  const access_header& header() const { return header_; }
  std::span<const std::int64_t> type() const { return type_; }
  /// Of the length that the header says, unless they follow.
  const std::byte* data() const { return data_; }

 private:
  access_header header_;
  std::span<const std::int64_t> type_;
  const std::byte* data_;
};

/// A packet with a header and a description of the target's type. Returns where the data are to be written
/// that do not follow.
struct made_access {
  packet& made;
  std::byte* data;
};
made_access make_access(const access_header& header, std::span<const std::int64_t> type);

}  // namespace imbrex::mpi
