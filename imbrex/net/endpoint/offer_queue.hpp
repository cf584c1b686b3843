// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace imbrex::endpoints {

/// Long messages not yet accepted: those that a fabric offers, and postponed messages, which are complete in
/// `header`. A message is postponed until no callback of the fabric runs, or until there is room.
class offer_queue {
 public:
  struct offer {
    unsigned kind;
    std::vector<std::byte> header;
    std::size_t size;
    void* offered;  ///< the fabric's handle of the offer; null if postponed
  };

  bool empty() const { return waiting_.empty(); }
  void add(offer o) { waiting_.push_back(std::move(o)); }
  std::size_t first_size() const { return waiting_.front().size; }
  offer take_first() {
    offer first = std::move(waiting_.front());
    waiting_.pop_front();
    return first;
  }

  /// True if the bytes in transfer stay within `most`, or nothing is in transfer.
  bool has_room_for(std::size_t size, std::size_t most) const {
    return arriving_ == 0 || arriving_bytes_ + size <= most;
  }
  void begins_to_arrive(std::size_t size) { ++arriving_, arriving_bytes_ += size; }
  void has_arrived(std::size_t size) { --arriving_, arriving_bytes_ -= size; }

 private:
  std::deque<offer> waiting_;
  std::size_t arriving_ = 0;
  std::size_t arriving_bytes_ = 0;
};

}  // namespace imbrex::endpoints
