// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <imbrex/net/transport.hpp>

namespace imbrex::detail {

/// A PE's connection to other processes: it carries items, as bytes, to their PEs, and notices to the
/// processes themselves, which are about the job and not counted as messages. One thread alone calls.
class endpoint : public transport {
 public:
  /// Sends a notice to a process; it arrives at that one's first PE.
  virtual void notify(int process, std::span<const std::byte> bytes) = 0;
  /// Room for an item for that PE of at most so many bytes, up to `longest_written`, as `work_type::pack`
  /// writes them; `send_written`, with the same `may_wait`, is the next call. `may_wait`: as
  /// `work::coalesced`. Null if an item must be made and sent.
  virtual std::byte* room_for(int /*to*/, std::size_t /*most*/, bool /*may_wait*/) { return nullptr; }
  /// Sends so many bytes that have been written there.
  virtual void send_written(std::size_t /*bytes*/, bool /*may_wait*/) {}
  static constexpr std::size_t longest_written = 2112;  ///< 2 KiB of arguments and what stands before them
  /// Longer items than about this gain nothing by being put together.
  static constexpr std::size_t longest_that_waits = 256;
  /// From here on it is cheaper to keep an item until it has left than to copy its block.
  static constexpr std::size_t shortest_block_lent = 4096;
  /// What may have come and wait to be run before the PEs rather run than receive.
  static constexpr std::size_t most_unread = std::size_t{32} << 20U;

  /// Moves what can be moved, in and out; not for ever, if others send without end. True if anything came in.
  /// `unread`: bytes of what came before and waits to be run; while these are more than `most_unread`, long
  /// messages stay where they come from, so that their senders notice. Throws what the receiver has thrown:
  /// serial_error for bytes that make no item.
  virtual bool progress(std::size_t unread) = 0;
  /// Before a sleep: true if from now on whatever comes makes `descriptor` readable; false if there is
  /// something to do at once.
  virtual bool arm() = 0;
  virtual int descriptor() const = 0;
  /// True while something that was sent has not left.
  virtual bool sending() const = 0;
  /// True while so much has not left that no more should be sent.
  virtual bool congested() const = 0;
};

/// Which PEs there are: those of one process follow each other.
struct pe_range {
  int first = 0;  ///< PE of this process
  int count = 1;  ///< PEs in this process
  int total = 1;  ///< PEs in the job

  bool holds(int pe) const { return pe >= first && pe < first + count; }
};

}  // namespace imbrex::detail
