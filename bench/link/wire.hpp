// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace bench::link {

/// The properties of one direction of a link.
struct wire_properties {
  std::chrono::nanoseconds delay{};  ///< from the last bit sent to the last bit received
  double bits_per_second = 0;        ///< above 0
  std::size_t largest_packet = 0;    ///< bytes
  std::size_t queue = 0;             ///< most packets that have not left yet, as in a router
};

/// One direction of a link. Packets leave one after the other at the rate, then travel for the delay. A
/// packet is dropped if the queue is full. Times are relative to any fixed moment and never decrease.
class wire {
 public:
  using time = std::chrono::nanoseconds;

  explicit wire(wire_properties properties) : properties_(properties) {}

  /// The buffer for the next packet, with the size of the largest one. It stays the same until `accept` takes
  /// it.
  std::span<std::byte> buffer();

  /// Sends the first `size` bytes of `buffer()`, which arrived `now`. False if they were dropped.
  bool accept(std::size_t size, time now);

  /// Arrival time of the first packet in flight at the other end; empty if there is none.
  std::optional<time> due() const;

  /// The first packet in flight; there must be one.
  std::span<const std::byte> front() const;

  /// Removes the first packet.
  void pop();

  std::uint64_t dropped() const { return dropped_; }

 private:
  using block = std::unique_ptr<std::byte[]>;
  struct packet {
    block bytes;
    std::size_t size;
    time left;
  };

  wire_properties properties_;
  block next_;
  std::vector<block> free_;     // a stack: the buffer used last is reused first, as it is still in the caches
  std::deque<packet> packets_;  // in the order of arrival, which is that of leaving
  std::size_t travelling_ = 0;  // number of leading packets that had left when the last one arrived
  time idle_from_{};            // time at which the last packet has left
  std::uint64_t dropped_ = 0;
};

}  // namespace bench::link
