// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::tools {

/// What the time of a chain of causes is made of.
enum chain_part : std::uint32_t {
  chain_network = 0,      ///< messages on their way
  chain_runtime = 1,      ///< items of the runtime
  chain_wait_device = 2,  ///< idle, waiting for a device
  chain_wait_timer = 3,   ///< idle, waiting for a timer
  chain_wait_other = 4,   ///< idle for other reasons, or a message that lay in a queue
  chain_unrecorded = 5,   ///< not recorded
  chain_first_entry = 6,  ///< entries of the program, in about the order in which they first ran
};
inline constexpr std::uint32_t chain_parts =
    72;  ///< the last stands for all further entries; a multiple of 8

/// The times of a chain by part, in ns; those of parts that nobody has used so far need not be looked at.
using chain_times = std::array<std::uint64_t, chain_parts>;

/// What had led to messages when they were sent. All that an item sends while it does one thing share one
/// copy.
class chain_store {
 public:
  /// Keeps a copy of what a PE's chain was made of at `since`, when it began to work on `part`; used once so
  /// far. Parts from `used` on are 0. Nothing, 0, if too many are kept.
  std::uint32_t keep(const chain_times& times, std::uint32_t used, std::uint64_t since, std::uint32_t part);
  void use(std::uint32_t number) { ++kept_[number - 1].uses; }
  /// One user less.
  void release(std::uint32_t number) {
    if (number == 0) return;
    copy& released = kept_[number - 1];
    if (--released.uses > 0) return;
    released.next_free = first_free_;
    first_free_ = number;
  }
  /// What the chain was made of at `time`, while the PE still worked on that part. Of `into` the parts from
  /// `used` on are 0.
  void restore(std::uint32_t number, std::uint64_t time, std::uint32_t used, chain_times& into) const;

 private:
  struct copy {
    std::uint64_t since = 0;
    std::uint32_t part = 0;
    std::uint32_t used = 0;
    std::uint32_t uses = 0;
    std::uint32_t next_free = 0;  // of one that nobody uses
    chain_times times;
  };
  std::vector<copy> kept_;
  std::uint32_t first_free_ = 0;
};

}  // namespace imbrex::tools
