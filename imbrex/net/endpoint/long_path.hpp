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

/// How a long message gets to another process of the host. By a rendezvous, where UCX has the receiver's
/// kernel copy it; or by a copy into memory that both share and one out of it. Which takes less time depends
/// on the processor, on the kernel, on how far apart the two run and on what their caches hold, and differs
/// by a factor of two either way. So an endpoint tries both on its own messages, again and again.
enum class long_path : std::uint8_t { rendezvous, memory };

/// Sizes of messages for which one path is chosen: those up to 16 KiB, 32 KiB and so on.
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

/// The sender's part: which path the next message of a size class to a neighbour takes. In a trial messages
/// take both in turn, until there are some by each; its receiver compares their times and tells which path is
/// better, and all take that until the next trial. Trials become rare as long as nothing changes.
class path_choice {
 public:
  struct path_now {
    long_path by;
    std::uint16_t trial;  ///< its number; 0 if the message is part of none
  };

  path_now next();
  /// There was no room in memory for what `next` has sent there: it goes otherwise and is no part of a trial.
  void put_off(const path_now& refused);
  /// What the receiver has found.
  void decide(std::uint16_t trial, long_path better);

  /// Messages by each path in a trial. Of the first by a rendezvous it is not known yet what the sender
  /// spends on it.
  static constexpr int by_each_path = 5;
  /// Messages between two trials.
  static constexpr int shortest_interval = 128;
  static constexpr int longest_interval = 2048;

  /// What the last rendezvous of a trial took of the sender's time; 0 if there was none.
  std::uint32_t spent_on_rendezvous = 0;

 private:
  long_path chosen_ = long_path::memory;
  bool is_decided_ = false;
  std::uint16_t trial_ = 1;
  std::array<std::int8_t, 2> left_{by_each_path, by_each_path};  ///< of this trial, by path
  std::int16_t interval_ = shortest_interval / 2;
  std::int16_t until_next_ = 0;
};

/// The receiver's part: what messages of a trial have taken. The least counts, since whatever else the
/// processors do makes the others longer.
class path_trial {
 public:
  /// A message has come that took the two processes so long. The better path, once enough of this trial have
  /// come by both.
  std::optional<long_path> add(std::uint16_t trial, long_path by, std::chrono::nanoseconds taken);

  static constexpr int enough = path_choice::by_each_path - 1;

 private:
  static constexpr std::uint32_t longest = std::numeric_limits<std::uint32_t>::max();

  std::array<std::uint32_t, 2> least_{longest, longest};  ///< ns
  std::array<std::uint8_t, 2> seen_{};
  std::uint16_t trial_ = 0;
};

}  // namespace imbrex::endpoints
