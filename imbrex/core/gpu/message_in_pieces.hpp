// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/core/gpu/piece_size.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/device/attachment.hpp>

namespace imbrex::detail {

// Messages whose device memory is sent in pieces through the host, or whole by a network that accesses device
// memory. The message itself travels in an envelope, and each piece as a separate message behind it. The
// receiving PE collects the pieces in memory of its device. It queues the message when the copy of the last
// piece is submitted. It acknowledges each copied piece, and only then the sender copies the next one to the
// host. So few pieces are in flight, and pinned host memory stays bounded. The envelope leaves with the first
// piece, so that the receiver needs device memory for few messages at once. Pieces and envelope may arrive in
// any order.

class pieces_to_pe;

/// The pieces in flight from one PE to all others. Its PE's thread only.
class pieces_under_way {
 public:
  static pieces_under_way& of_this_pe();

  /// Registers a sender that found no pinned memory. It resumes when pieces have returned theirs.
  void wait(pieces_to_pe& one);
  /// Resumes waiting senders, as far as possible.
  void go_on();

  std::size_t count = 0;  ///< pieces without an acknowledgement
  /// Number of pieces in pinned memory. The network may finish a piece a little after its receiver. Any
  /// thread.
  const std::shared_ptr<std::atomic<std::size_t>> in_memory = std::make_shared<std::atomic<std::size_t>>(0);

 private:
  std::vector<pieces_to_pe*> waiting_;
  bool looks_again_ = false;
};

/// The messages from one PE to another that are sent in pieces, in the order of their sends. Sender's thread
/// only.
class pieces_to_pe {
 public:
  /// The object for messages from this thread's PE to PE `to`.
  static pieces_to_pe& of(int to);

  /// `model`: null if the best number of pieces is found by measurement.
  pieces_to_pe(int to, const device_model* model) : to_(to), model_(model) {}
  ~pieces_to_pe();
  pieces_to_pe(const pieces_to_pe&) = delete;
  pieces_to_pe& operator=(const pieces_to_pe&) = delete;

  /// The number of pieces for a message of this size; 0: send it whole, within its message.
  std::size_t pieces_for(std::size_t bytes);
  /// True if a message of this size is always sent whole.
  bool goes_whole(std::size_t bytes) const;
  /// Sends a message whose parts are on devices and have `bytes` bytes in total, in `pieces` pieces. With 0
  /// the network sends the parts themselves.
  void send(message& m, const std::vector<attachment*>& parts, std::size_t bytes, std::size_t pieces);
  /// Handles an acknowledgement of a piece of message `number`.
  void taken(std::uint32_t number);
  /// Sends further pieces, up to the limit in flight.
  void go_on();

 private:
  /// A message that is being sent.
  struct departure {
    std::uint32_t number = 0;
    message* envelope = nullptr;  ///< null once the first piece leaves
    std::vector<attachment> parts{};
    std::size_t bytes = 0;
    std::size_t pieces = 0;
    std::size_t piece = 0;  ///< bytes of each piece except the last of a part
    // The next piece: its part, and its first byte; then the number of pieces in flight.
    std::size_t part = 0;
    std::size_t first = 0;
    std::size_t under_way = 0;
    nanoseconds begun{0};  ///< time of the first piece
  };

  void begin_piece(departure& of);

  const int to_;
  const device_model* const model_;
  pieces_under_way& all_ = pieces_under_way::of_this_pe();
  piece_trials trials_;
  std::list<departure> departures_;  ///< messages with pieces to send or to be acknowledged
  std::uint32_t last_number_ = 0;
  std::size_t under_way_ = 0;  ///< pieces in flight
  nanoseconds last_taken_{0};  ///< time of the last completed message
};

/// The message in an envelope; for other messages the argument itself.
const message& enclosed_message(const message& m);

}  // namespace imbrex::detail
