// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include <imbrex/net/endpoint/shared_memory.hpp>

namespace imbrex::endpoints {

/// The path of a long message to another process of the host. `rendezvous`: UCX has the receiver's kernel
/// copy it. `memory`: a copy into shared memory and a copy out of it. The faster one depends on the
/// processor, the kernel, the distance of the two processors and the contents of their caches. The times
/// differ by a factor of two either way. So an endpoint repeatedly measures both with its own messages.
enum class long_path : std::uint8_t { rendezvous, memory };

/// Sizes of messages for which one path is chosen: up to 16 KiB, 32 KiB and so on.
struct size_class {
  static constexpr std::size_t number = 7;
  static constexpr std::size_t first = std::size_t{1} << 14U;
  static_assert(first << (number - 1) == shared_layout::longest_block);

  static constexpr std::size_t of(std::size_t bytes) {
    return std::min<std::size_t>(
        static_cast<std::size_t>(std::bit_width((std::max(bytes, first) - 1) / first)), number - 1);
  }
  static constexpr std::size_t longest(std::size_t which) { return first << which; }
};

/// The sender's part: chooses the path of the next message of a size class to a neighbour. In a trial,
/// messages alternate between the paths until each has had `by_each_path`. The receiver compares their times
/// and reports the better path, which all messages take until the next trial. Trials become rare as long as
/// nothing changes.
class path_choice {
 public:
  struct path_now {
    long_path by;
    std::uint16_t trial;  ///< number of the trial; 0 if the message is part of none
  };

  path_now next();
  /// Reports that shared memory had no room for the message of the last `next`. The message takes another
  /// path and is no part of a trial.
  void put_off(const path_now& refused);
  /// Applies the receiver's result of a trial.
  void decide(std::uint16_t trial, long_path better);

  /// Number of messages by each path in a trial. The first by a rendezvous does not count: the sender's time
  /// is not known yet.
  static constexpr int by_each_path = 5;
  /// Limits of the number of messages between two trials.
  static constexpr int shortest_interval = 128;
  static constexpr int longest_interval = 2048;

  /// Sender's time for the last rendezvous of a trial, in ns; 0 if there was none.
  std::uint32_t spent_on_rendezvous = 0;

 private:
  long_path chosen_ = long_path::memory;
  bool is_decided_ = false;
  std::uint16_t trial_ = 1;
  std::array<std::int8_t, 2> left_{by_each_path, by_each_path};  ///< messages left in this trial, by path
  std::int16_t interval_ = shortest_interval / 2;
  std::int16_t until_next_ = 0;
};

/// The receiver's part: the times of a trial's messages. The minimum counts, since other work of the
/// processors only makes times longer.
class path_trial {
 public:
  /// Adds a message that took the two processes `taken` together. Returns the better path, once enough
  /// messages of the trial have arrived by both.
  std::optional<long_path> add(std::uint16_t trial, long_path by, std::chrono::nanoseconds taken);

  static constexpr int enough = path_choice::by_each_path - 1;

 private:
  static constexpr std::uint32_t longest = std::numeric_limits<std::uint32_t>::max();

  std::array<std::uint32_t, 2> least_{longest, longest};  ///< minimum times in ns, by path
  std::array<std::uint8_t, 2> seen_{};
  std::uint16_t trial_ = 0;
};

}  // namespace imbrex::endpoints
