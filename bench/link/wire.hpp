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

/// What a direction of a link is like.
struct wire_properties {
  std::chrono::nanoseconds delay{};  ///< from the last bit sent to the last bit received
  double bits_per_second = 0;        ///< above 0
  std::size_t largest_packet = 0;    ///< bytes
  std::size_t queue = 0;             ///< most packets that have not left yet, as in a router
};

/// One direction of a link. Packets leave one after the other at the rate, then travel for the delay; one
/// that finds the queue full is dropped. Times count from any fixed moment and never go back.
class wire {
 public:
  using time = std::chrono::nanoseconds;

  explicit wire(wire_properties properties) : properties_(properties) {}

  /// Where to put the next packet: as many bytes as the largest one has. The same until `accept` takes it.
  std::span<std::byte> buffer();

  /// Sends the first `size` bytes of `buffer()`, which arrived `now`. False if they were dropped.
  bool accept(std::size_t size, time now);

  /// When the first packet on its way reaches the other end; nothing if there is none.
  std::optional<time> due() const;

  /// The first packet on its way; there must be one.
  std::span<const std::byte> front() const;

  /// Takes it off.
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
  std::vector<block> free_;     // the last one used is the first to be used again: it is still in the caches
  std::deque<packet> packets_;  // in the order in which they leave, which is that in which they arrive
  std::size_t travelling_ = 0;  // how many of them, from the front, had left when the last one came
  time idle_from_{};            // when the last packet has left
  std::uint64_t dropped_ = 0;
};

}  // namespace bench::link
