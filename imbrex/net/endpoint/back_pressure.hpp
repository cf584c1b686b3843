// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <imbrex/net/endpoint.hpp>

namespace imbrex::endpoints {

/// When an endpoint sends no more, and takes nothing in.
class back_pressure {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  void departs(std::size_t bytes) { departing_bytes_ += bytes; }
  void departed(std::size_t bytes) { departing_bytes_ -= bytes; }
  /// More has come than the PE has run, or not.
  void see_unread(std::size_t unread) { is_full_ = unread > detail::endpoint::most_unread; }

  /// PEs run nothing that could send more.
  bool congested() const { return departing_bytes_ > most_departing_bytes; }
  bool is_full() const { return is_full_; }
  /// The PE can neither send nor run, and much has come.
  bool holds_off() const { return is_full_ && congested(); }
  /// A send should also move what can be moved, for the sake of long loops that send. Where much has come,
  /// more would.
  bool is_much() const { return departing_bytes_ > (is_full_ ? most_departing_bytes : many_departing_bytes); }

  /// Of one that holds off: whether it is time to look at the network, which it then does.
  bool begins_to_look(time_point now);
  /// What came of it, with so many bytes unread. True if it should take a long message.
  bool has_looked(time_point now, std::size_t unread, std::uint64_t came, std::uint64_t left);

  static constexpr std::size_t most_departing_bytes = std::size_t{32} << 20U;
  static constexpr std::size_t many_departing_bytes = std::size_t{4} << 20U;
  /// Between two looks.
  static constexpr std::chrono::microseconds shortest_patience{20};
  static constexpr std::chrono::microseconds longest_patience{50'000};
  /// While nothing leaves it takes one long message in the shortest such time, doubled for each `most_unread`
  /// that has come.
  static constexpr std::size_t most_doublings = 12;

 private:
  std::size_t departing_bytes_ = 0;
  bool is_full_ = false;
  std::chrono::microseconds patience_ = shortest_patience;
  time_point looked_last_;
  time_point moved_last_;  ///< when something left at a look, or a long message was taken
};

}  // namespace imbrex::endpoints
