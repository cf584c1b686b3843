// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/net/fabric.hpp>

namespace imbrex::loopback {

/// What goes wrong, each with so many of a thousand messages that are not offered.
struct faults {
  int lost = 0;
  int duplicated = 0;
  int reordered = 0;  ///< overtake those that lie before them
  int delayed = 0;    ///< and all behind them, by some looks of the receiver
  int corrupted = 0;  ///< have another byte
  int unnoted = 0;    ///< of those that are kept: the sender never hears that they have left
  /// The capabilities do not tell of them: for a test of tests.
  bool are_hidden = false;

  bool spoil_order() const { return reordered != 0; }
  bool spoil_reliability() const { return lost != 0 || duplicated != 0 || corrupted != 0 || unnoted != 0; }
};

struct options {
  std::uint64_t seed = 1;  ///< of the faults
  /// Bytes of a message that is sent without an offer. Where it is less than `longest_short`, there is no
  /// order.
  std::size_t longest_unoffered = fabric_worker::longest_short;
  std::size_t longest_header = 4096;      ///< beside a body
  std::size_t most_unread_messages = 64;  ///< that lie at a worker before senders keep theirs
  faults wrong{};
};

/// A long message that is still with its sender.
struct offer {
  std::span<const std::byte> body;
  fabric_transfer* what;  ///< null once its sender has been told, or has ended
  std::size_t from;       ///< worker
};

/// A message at its receiver.
struct parcel {
  unsigned kind = 0;
  std::vector<std::byte> header;
  std::vector<std::byte> body;
  std::shared_ptr<offer> offered;  ///< in the place of a body
  int looks_to_wait = 0;
};

/// What workers of one process reach each other by: memory, under a lock. Any thread.
class medium {
 public:
  explicit medium(const options& settings) : how_(settings) {}
  const options& how() const { return how_; }

  /// A new worker's number.
  std::size_t add();
  /// The worker has ended. What it has offered goes with it, and what lies there is dropped.
  void remove(std::size_t worker);
  bool has(std::size_t worker) const;

  /// Puts a message there. False if there is no room.
  bool put(std::size_t to, parcel&& message);
  /// Takes the next message of a worker. False if there is none yet.
  bool take(std::size_t worker, parcel& message);

  /// Copies what has been offered to where it is to be, and has its sender told. False if it has gone with
  /// its sender.
  bool fetch(offer& from, std::span<std::byte> to);
  /// Has the sender told that nobody wants it.
  void drop(offer& unwanted);
  /// What of that worker's has been fetched or dropped since the last call.
  std::vector<fabric_transfer*> take_ended(std::size_t worker);

  /// True if from now on whatever comes makes the descriptor readable; false if something is there.
  bool arm(std::size_t worker);
  int descriptor_of(std::size_t worker) const;

 private:
  struct place {
    bool has_ended = false;
    bool is_armed = false;
    std::deque<parcel> unread;
    std::vector<fabric_transfer*> ended;
    std::vector<std::shared_ptr<offer>> offered;  ///< by this worker
    descriptor wake;
  };

  void end(offer& o);
  void wake(place& who);
  bool happens(int of_a_thousand) {
    return of_a_thousand != 0 && random_.below(1000) < static_cast<std::uint64_t>(of_a_thousand);
  }
  void spoil(place& where, parcel& message);

  const options how_;
  mutable std::mutex lock_;  // of what follows
  random random_{how_.seed};
  std::vector<std::unique_ptr<place>> places_;
};

}  // namespace imbrex::loopback
