// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/resident/transport/memory.hpp>

namespace imbrex::resident::detail {

/// Looks from time to time whether some PE has begun an entry, or the host has heard something. If neither
/// has been for too long while a PE is in an entry, or keeps messages, it writes to standard error who does
/// what and ends the process with status 1: neither a kernel nor a thread that hangs can be ended otherwise.
class watchdog {
 public:
  /// `look` gives what each PE shows, and then how much the host has heard; `describe` says it in words; both
  /// are called by a thread of the watchdog.
  watchdog(std::function<std::vector<wide_word>()> look,
           std::function<std::string(const std::vector<wide_word>&)> describe, nanoseconds patience);
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog();

 private:
  void work();

  std::function<std::vector<wide_word>()> look_;
  std::function<std::string(const std::vector<wide_word>&)> describe_;
  nanoseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace imbrex::resident::detail
