// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <imbrex/net/endpoint.hpp>

namespace imbrex::endpoints {

/// Decides when an endpoint stops sending, and when it stops receiving.
class back_pressure {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  void departs(std::size_t bytes) { departing_bytes_ += bytes; }
  void departed(std::size_t bytes) { departing_bytes_ -= bytes; }
  /// Notes the received bytes that wait to be run.
  void see_unread(std::size_t unread) { is_full_ = unread > detail::endpoint::most_unread; }

  /// True while PEs should run nothing that could send more.
  bool congested() const { return departing_bytes_ > most_departing_bytes; }
  bool is_full() const { return is_full_; }
  /// True if the PE can neither send nor run, and many bytes are unread.
  bool holds_off() const { return is_full_ && congested(); }
  /// True if a send should also make progress, for the sake of long loops that send. While many bytes are
  /// unread the limit is higher, since progress would receive more.
  bool is_much() const { return departing_bytes_ > (is_full_ ? most_departing_bytes : many_departing_bytes); }

  /// True if it is time to poll the network; the caller, which holds off, then does so.
  bool begins_to_look(time_point now);
  /// Notes the result of a poll with `unread` bytes unread. True if the endpoint should accept a long
  /// message.
  bool has_looked(time_point now, std::size_t unread, std::uint64_t came, std::uint64_t left);

  static constexpr std::size_t most_departing_bytes = std::size_t{32} << 20U;
  static constexpr std::size_t many_departing_bytes = std::size_t{4} << 20U;
  /// Limits of the time between two polls.
  static constexpr std::chrono::microseconds shortest_patience{20};
  static constexpr std::chrono::microseconds longest_patience{50'000};
  /// While nothing leaves, one long message is accepted in each `shortest_patience`. That time doubles for
  /// each `most_unread` of unread bytes, at most this many times.
  static constexpr std::size_t most_doublings = 12;

 private:
  std::size_t departing_bytes_ = 0;
  bool is_full_ = false;
  std::chrono::microseconds patience_ = shortest_patience;
  time_point looked_last_;
  time_point moved_last_;  ///< last poll at which something left or a long message was accepted
};

}  // namespace imbrex::endpoints
