// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <imbrex/net/transport.hpp>

namespace imbrex::detail {

/// A PE's connection to other processes. It carries items, as bytes, to their PEs, and control messages of
/// the job to the processes themselves. Control messages are not counted as messages. Only one thread may
/// call.
class endpoint : public transport {
 public:
  /// Sends a control message to a process, where its first PE receives it.
  virtual void notify(int process, std::span<const std::byte> bytes) = 0;
  /// Reserves room for an item to that PE of at most `most` bytes, up to `longest_written`, in the form that
  /// `work_type::pack` writes. The next call must be `send_written`, with the same `may_wait`. `may_wait`: as
  /// `work::coalesced`. Null if there is no room: the caller makes an item and sends it.
  virtual std::byte* room_for(int /*to*/, std::size_t /*most*/, bool /*may_wait*/) { return nullptr; }
  /// Sends the first `bytes` bytes of the reserved room.
  virtual void send_written(std::size_t /*bytes*/, bool /*may_wait*/) {}
  static constexpr std::size_t longest_written = 2112;  ///< 2 KiB of arguments, and the bytes before them
  /// Items longer than about this gain nothing by coalescing.
  static constexpr std::size_t longest_that_waits = 256;
  /// From this size on, keeping the item until it has left is cheaper than copying its block.
  static constexpr std::size_t shortest_exported_block = 4096;
  /// Limit of received bytes that wait to be run; above it, the PEs run items before they receive more.
  static constexpr std::size_t most_unread = std::size_t{32} << 20U;

  /// Sends and receives as much as possible, but not for ever if others send without end. True if an item or
  /// control message was received. `unread`: received bytes that wait to be run. While they exceed
  /// `most_unread`, long messages stay with their senders, which thus detect the congestion. Throws what the
  /// receiver throws: serial_error for bytes that make no item.
  virtual bool progress(std::size_t unread) = 0;
  /// Prepares for a sleep. True if from now on each arrival makes `descriptor` readable; false if there is
  /// something to do at once.
  virtual bool arm() = 0;
  virtual int descriptor() const = 0;
  /// True while a sent item or control message has not left.
  virtual bool sending() const = 0;
  /// True while so many bytes wait to leave that no more should be sent.
  virtual bool congested() const = 0;
};

/// The PEs of the job and of this process, which are consecutive.
struct pe_range {
  int first = 0;  ///< first PE of this process
  int count = 1;  ///< PEs in this process
  int total = 1;  ///< PEs in the job

  bool holds(int pe) const { return pe >= first && pe < first + count; }
};

}  // namespace imbrex::detail
