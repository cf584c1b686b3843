// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/core/extension/report.hpp>
#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident::detail {

/// Checks from time to time whether a PE has begun an entry, or the host has received an item. It acts if
/// neither happens for `patience`, although a PE is in an entry or keeps messages. Then it writes the states
/// of the PEs to standard error and ends the process with status 1. A kernel or thread that hangs cannot be
/// ended otherwise. Reports of the process (SIGQUIT, `imbrex who`) have the states, too.
class watchdog {
 public:
  /// `look` returns the word of each PE, and then the number of items that the host has received. `describe`
  /// turns these into text, a line after a line end for each PE that is not at rest. A thread of the watchdog
  /// calls both, and so does the thread that makes a report; never two at once.
  watchdog(std::function<std::vector<wide_word>()> look,
           std::function<std::string(const std::vector<wide_word>&)> describe, nanoseconds patience);
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog();

 private:
  void work();
  std::vector<std::string> lines();

  std::function<std::vector<wide_word>()> look_;
  std::function<std::string(const std::vector<wide_word>&)> describe_;
  nanoseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
  extension::report_source source_{[this] { return lines(); }};
};

}  // namespace imbrex::resident::detail
