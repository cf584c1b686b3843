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

/// Reports exceptions that wait long for other replies, and the waiting entries. Otherwise they would stay
/// unseen as long as anything keeps the run alive, such as a timer. The watch has a thread once there is such
/// an exception.
class exception_watch {
 public:
  /// Both arguments must outlive the watch.
  exception_watch(const std::vector<std::unique_ptr<processor>>& pes, executor_gate& gate)
      : pes_(pes), gate_(gate) {}
  ~exception_watch() { stop(); }
  exception_watch(const exception_watch&) = delete;
  exception_watch& operator=(const exception_watch&) = delete;

  /// Records that an exception waits on a PE of this process. Any PE's thread.
  void note() noexcept;
  /// Call before the PEs are destroyed.
  void stop();

 private:
  struct look;
  /// Touched by the thread of the PE only.
  struct of_pe {
    std::vector<std::string> before;  ///< exceptions that waited at the last check
    std::vector<std::string> reports;
  };

  void watch();
  void look_on(processor& pe, of_pe& known);

  const std::vector<std::unique_ptr<processor>>& pes_;
  executor_gate& gate_;
  std::vector<of_pe> known_;  ///< one for each PE of this process; made with the thread
  std::mutex lock_;           ///< guards the members below
  std::condition_variable changed_;
  bool anything_waits_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace imbrex::detail
