// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace imbrex::detail {

class executor_gate;
class processor;

/// Says which exceptions wait for other answers for long, and who waits: else nobody would hear of them as
/// long as anything keeps the run alive, such as a timer. It has a thread once there is such an exception.
class exception_watch {
 public:
  /// Both must outlive it.
  exception_watch(const std::vector<std::unique_ptr<processor>>& pes, executor_gate& gate)
      : pes_(pes), gate_(gate) {}
  ~exception_watch() { stop(); }
  exception_watch(const exception_watch&) = delete;
  exception_watch& operator=(const exception_watch&) = delete;

  /// An exception waits on a PE of this process. Any PE's thread.
  void note() noexcept;
  /// Before the PEs go.
  void stop();

 private:
  struct look;
  /// Its PE's.
  struct of_pe {
    std::vector<std::string> before;  ///< what waited at the last look
    std::vector<std::string> told;
  };

  void watch();
  void look_on(processor& pe, of_pe& known);

  const std::vector<std::unique_ptr<processor>>& pes_;
  executor_gate& gate_;
  std::vector<of_pe> known_;  ///< of each PE of this process; made with the thread
  std::mutex lock_;           ///< of what follows
  std::condition_variable changed_;
  bool anything_waits_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace imbrex::detail
