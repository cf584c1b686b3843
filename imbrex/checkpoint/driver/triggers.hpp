// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include <imbrex/base/standard/duration.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::checkpoints::detail {

/// True if elements count their balance points to the next checkpoint.
inline bool counts_points(const options& settings) {
  const checkpoint_settings& s = settings.checkpoint;
  return s.every_points > 0 || (settings.machine == machine_kind::simulated && s.every_time > nanoseconds(0));
}

/// Lets a signal ask for checkpoints from now on, instead of ending this process. Throws imbrex::error if it
/// cannot be caught.
void catch_signal(int signal);

/// Calls a function on PE 0 when a checkpoint is due by the clock, or when a signal asks for one.
class triggers {
 public:
  /// `call` is called on this PE.
  triggers(const checkpoint_settings& settings, std::function<void()> call);
  ~triggers();
  triggers(const triggers&) = delete;
  triggers& operator=(const triggers&) = delete;

  /// The next checkpoint is due after the period from now on. `cost`: seconds that the last one took, from
  /// which the period of `auto` follows.
  void restart(double cost);

 private:
  void watch();
  nanoseconds period(double cost) const;

  const checkpoint_settings settings_;
  const std::function<void()> call_;
  const extension::pe_poster pe_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::chrono::steady_clock::time_point due_;
  bool ends_ = false;
  std::thread watch_;
};

}  // namespace imbrex::checkpoints::detail
