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

/// Probabilities of faults, in thousandths of the messages that are not offered.
struct faults {
  int lost = 0;
  int duplicated = 0;
  int reordered = 0;  ///< the message overtakes earlier ones
  int delayed = 0;    ///< also all messages behind it, by some polls of the receiver
  int corrupted = 0;  ///< one byte changes
  int unnoted = 0;    ///< for kept messages: the sender is never notified that they have left
  /// The capabilities do not mention the faults; for tests of the checks.
  bool are_hidden = false;

  bool spoil_order() const { return reordered != 0; }
  bool spoil_reliability() const { return lost != 0 || duplicated != 0 || corrupted != 0 || unnoted != 0; }
};

struct options {
  std::uint64_t seed = 1;  ///< seed of the faults
  /// Limit in bytes of messages sent without an offer. Below `longest_short` there is no order.
  std::size_t longest_unoffered = fabric_worker::longest_short;
  std::size_t longest_header = 4096;      ///< bytes, of a message with a body
  std::size_t most_unread_messages = 64;  ///< messages that wait at a worker; beyond that senders keep theirs
  faults wrong{};
};

/// A long message that its sender still holds.
struct offer {
  std::span<const std::byte> body;
  fabric_transfer* what;  ///< null once the sender was notified or has ended
  std::size_t from;       ///< sending worker
};

/// A message at its receiver.
struct parcel {
  unsigned kind = 0;
  std::vector<std::byte> header;
  std::vector<std::byte> body;
  std::shared_ptr<offer> offered;  ///< replaces the body of an offered message
  int looks_to_wait = 0;
};

/// The memory by which workers of one process reach each other, under a lock. Any thread.
class medium {
 public:
  explicit medium(const options& settings) : how_(settings) {}
  const options& how() const { return how_; }

  /// Adds a worker and returns its number.
  std::size_t add();
  /// Removes a worker. Its offers and its unread messages are dropped.
  void remove(std::size_t worker);
  bool has(std::size_t worker) const;

  /// Adds a message to a worker's unread messages. False if there is no room.
  bool put(std::size_t to, parcel&& message);
  /// Removes a worker's next message. False if there is none yet.
  bool take(std::size_t worker, parcel& message);

  /// Copies an offered body to `to` and notifies the sender. False if the offer has ended with its sender.
  bool fetch(offer& from, std::span<std::byte> to);
  /// Refuses an offer and notifies the sender.
  void drop(offer& unwanted);
  /// Transfers of that worker that were fetched or dropped since the last call.
  std::vector<fabric_transfer*> take_ended(std::size_t worker);

  /// True if from now on each arrival makes the descriptor readable; false if something is there.
  bool arm(std::size_t worker);
  int descriptor_of(std::size_t worker) const;

 private:
  struct place {
    bool has_ended = false;
    bool is_armed = false;
    std::deque<parcel> unread;
    std::vector<fabric_transfer*> ended;
    std::vector<std::shared_ptr<offer>> offered;  ///< offers by this worker
    descriptor wake;
  };

  void end(offer& o);
  void wake(place& who);
  bool happens(int of_a_thousand) {
    return of_a_thousand != 0 && random_.below(1000) < static_cast<std::uint64_t>(of_a_thousand);
  }
  void spoil(place& where, parcel& message);

  const options how_;
  mutable std::mutex lock_;  // guards `random_` and `places_`
  random random_{how_.seed};
  std::vector<std::unique_ptr<place>> places_;
};

}  // namespace imbrex::loopback
