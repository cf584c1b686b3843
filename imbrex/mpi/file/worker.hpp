// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace imbrex::mpi {

/// A thread of a PE that waits for the file system while the PE runs ranks. Each PE has one, by
/// `extension::current_pe::local`; its thread begins with the first job.
class file_worker {
  struct state;

 public:
  file_worker() = default;
  file_worker(const file_worker&) = delete;
  file_worker& operator=(const file_worker&) = delete;
  /// Ends the current job, and drops the others.
  ~file_worker();

  /// A job that has begun. Its destructor drops a job that has not started, and waits for one that runs, so
  /// that memory which a job uses may be freed after it. Only the PE uses it.
  class job {
   public:
    job() = default;
    job(job&&) = default;
    job& operator=(job&& other) noexcept;
    ~job();

   private:
    friend class file_worker;
    explicit job(std::shared_ptr<state> its) : state_(std::move(its)) {}
    std::shared_ptr<state> state_;
  };

  /// Calls `work` on the worker's thread, and then `after` on the PE, unless the job was dropped. Jobs run in
  /// the order of their beginnings. On machines without threads both are called at once. `work` must not
  /// throw.
  [[nodiscard]] job begin(std::function<void()> work, std::function<void()> after);

 private:
  void run();

  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<state>> waiting_;  ///< guarded by lock_
  bool is_ending_ = false;                      ///< guarded by lock_
  std::thread thread_;
};

}  // namespace imbrex::mpi
