// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// The method by which a PE detects that its device has completed work that an entry awaits (Choi 2022, table
/// 2.1).
enum class completion_method {
  synchronous,   ///< `sync`: the PE waits for the device and does nothing else
  user_polling,  ///< `poll-user`: an item of the PE's queue checks, and queues itself again until the work is
                 ///< done
  polling,       ///< `poll`: the PE polls events, between items and while it is idle
  callback,      ///< `callback`: the device's driver calls a function that posts to the PE; idle PEs sleep
  flag,          ///< `flag`: the device writes into host memory, which the PE polls; not all devices can
  work_request,  ///< `work-request`: as polling; programs that can should give their work as `work_request`s
};

/// The method's name on the command line: "poll".
std::string_view option_word(completion_method method);

/// The interval between polls of a busy PE; an idle PE always polls. All zero: adaptive, more often as long
/// as polls succeed.
struct polling_interval {
  int turns = 0;        ///< items run between two polls
  nanoseconds time{0};  ///< time between two polls, instead of turns
};

/// Limit of the turns between two polls for completions.
inline constexpr int max_poll_turns = 1'000'000;

/// The settings of the PEs' threads.
struct thread_settings {
  /// Whether each PE's thread stays on one core.
  enum class binding { none, core };

  binding bind = binding::none;
  nanoseconds latency{0};  ///< latency of a message between PEs, end to end
  /// True if no other process of the job is on this host: then PEs may choose processors of their own.
  bool has_host_alone = true;
};

}  // namespace imbrex
