// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <imbrex/base/clock.hpp>

namespace imbrex {

/// How a PE learns that what it gave to its device is done, when an entry awaits that (Choi 2022, table 2.1).
enum class completion_method {
  synchronous,   ///< `sync`: the PE waits for the device and does nothing else
  user_polling,  ///< `poll-user`: an item of the PE's queue asks, and queues itself again until it is done
  polling,       ///< `poll`: the PE asks for events, between items and while it is idle
  callback,      ///< `callback`: the device's driver calls a function that posts to the PE; idle PEs sleep
  flag,          ///< `flag`: the device writes into host memory, where the PE looks; not all devices can
  work_request,  ///< `work-request`: as polling; and programs that can are to give their work as
                 ///< `work_request`s
};

/// What the command line calls it: "poll".
std::string_view option_word(completion_method method);

/// How often a PE with other things to do asks its device; an idle one always does. All zero: by itself,
/// oftener as long as it finds something.
struct polling_interval {
  int turns = 0;        ///< items run in between
  nanoseconds time{0};  ///< or the time
};

/// The most turns between two looks for completions.
inline constexpr int max_poll_turns = 1'000'000;

/// How the threads of PEs run.
struct thread_settings {
  /// Whether each PE's thread stays on one core.
  enum class binding { none, core };

  binding bind = binding::none;
  nanoseconds latency{0};  ///< of a message between PEs, end to end
  /// No other process of the job is on this host: then PEs may look for processors of their own.
  bool has_host_alone = true;
};

}  // namespace imbrex
