// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace imbrex::tools {

/// Parts of the time of a chain of causes.
enum chain_part : std::uint32_t {
  chain_network = 0,      ///< messages in flight
  chain_runtime = 1,      ///< items of the runtime
  chain_wait_device = 2,  ///< idle, waiting for a device
  chain_wait_timer = 3,   ///< idle, waiting for a timer
  chain_wait_other = 4,   ///< idle for other reasons, or a message in a queue
  chain_unrecorded = 5,   ///< not recorded
  chain_first_entry = 6,  ///< entries of the program, about in the order of their first run
};
inline constexpr std::uint32_t chain_parts =
    72;  ///< a multiple of 8; the last part stands for all further entries

/// The times of a chain by part, in ns. Parts that were never used need not be read.
using chain_times = std::array<std::uint64_t, chain_parts>;

/// The causes of messages, saved at their sends. All messages that an item sends during one activity share
/// one copy.
class chain_store {
 public:
  /// Saves a copy of a PE's chain at `since`, the time at which it began to work on `part`; the copy has one
  /// user. Parts from `used` on are 0. Returns 0 if too many copies are stored.
  std::uint32_t keep(const chain_times& times, std::uint32_t used, std::uint64_t since, std::uint32_t part);
  void use(std::uint32_t number) { ++kept_[number - 1].uses; }
  /// Removes one user of a copy.
  void release(std::uint32_t number) {
    if (number == 0) return;
    copy& released = kept_[number - 1];
    if (--released.uses > 0) return;
    released.next_free = first_free_;
    first_free_ = number;
  }
  /// Restores the chain at `time`, while the PE still worked on that part. Parts of `into` from `used` on are
  /// 0.
  void restore(std::uint32_t number, std::uint64_t time, std::uint32_t used, chain_times& into) const;

 private:
  struct copy {
    std::uint64_t since = 0;
    std::uint32_t part = 0;
    std::uint32_t used = 0;
    std::uint32_t uses = 0;
    std::uint32_t next_free = 0;  // next unused copy
    chain_times times;
  };
  std::vector<copy> kept_;
  std::uint32_t first_free_ = 0;
};

}  // namespace imbrex::tools
