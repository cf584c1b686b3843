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
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/device/device_part.hpp>

namespace imbrex::detail {

// A message whose memory of devices goes by the host in pieces, or as a whole by a network that reads and
// writes memory of devices: the message itself, in an envelope, and
// behind it the pieces, each a message of its own. The receiver's PE gathers them in memory of its device,
// and queues the message when the last of them is ordered there. It says of each piece when it has been
// copied, and then the sender copies the next one to the host, so that few are under way, and no more memory
// of the host is in use however much is sent. The envelope leaves with the first piece, so that the receiver
// has memory of its device for few messages at once. Pieces and envelope may come in any order.

class pieces_to_pe;

/// The pieces of one PE to all others. Its thread.
class pieces_under_way final : public pieces_of_messages {
 public:
  static pieces_under_way& of_this_pe();

  /// There is no memory of the host, but pieces that give it back: that one goes on then.
  void wait(pieces_to_pe& one);
  /// Those that wait go on, as far as they can.
  void go_on();

  std::size_t count = 0;  ///< that have not been copied where they shall be
  /// In memory of the host; the network may be done with one a little later than its receiver. Any thread.
  const std::shared_ptr<std::atomic<std::size_t>> in_memory = std::make_shared<std::atomic<std::size_t>>(0);

 private:
  std::vector<pieces_to_pe*> waiting_;
  bool looks_again_ = false;
};

/// The messages of one PE that go to another one in pieces, in the order of their sending. The sender's
/// thread.
class pieces_to_pe final : public pieces_of_messages {
 public:
  /// Of the PE on this thread.
  static pieces_to_pe& of(int to);

  /// `model`: null where it is measured in how many pieces messages go best.
  pieces_to_pe(int to, const device_model* model) : to_(to), model_(model) {}
  ~pieces_to_pe() override;
  pieces_to_pe(const pieces_to_pe&) = delete;
  pieces_to_pe& operator=(const pieces_to_pe&) = delete;

  /// In how many pieces so many bytes shall go; 0: not in any, but with their message.
  std::size_t pieces_for(std::size_t bytes);
  /// True if so many bytes surely go with their message.
  bool goes_whole(std::size_t bytes) const;
  /// Sends a message whose parts lie on devices, and have so many bytes, in so many pieces; 0: as they are,
  /// by the network itself.
  void send(message& m, const std::vector<device_part*>& parts, std::size_t bytes, std::size_t pieces);
  /// One more piece of the message of that number has been copied where it shall be.
  void taken(std::uint32_t number);
  /// Begins pieces as long as few are under way.
  void go_on();

 private:
  /// One message.
  struct departure {
    std::uint32_t number = 0;
    message* envelope = nullptr;  ///< until its first piece leaves
    std::vector<device_part> parts{};
    std::size_t bytes = 0;
    std::size_t pieces = 0;
    std::size_t piece = 0;  ///< bytes of each but the last of a part
    // The next piece, and how many there have been:
    std::size_t part = 0;
    std::size_t first = 0;
    std::size_t under_way = 0;
    nanoseconds begun{0};  ///< when the first piece was
  };

  void begin_piece(departure& of);

  const int to_;
  const device_model* const model_;
  pieces_under_way& all_ = pieces_under_way::of_this_pe();
  piece_trials trials_;
  std::list<departure> departures_;  ///< that have not all been copied where they shall be
  std::uint32_t last_number_ = 0;
  std::size_t under_way_ = 0;  ///< pieces
  nanoseconds last_taken_{0};  ///< when a message had come last
};

/// What an envelope encloses; else the message itself.
const message& enclosed_message(const message& m);

}  // namespace imbrex::detail
