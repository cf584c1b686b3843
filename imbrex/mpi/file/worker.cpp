// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/file/worker.hpp>

#include <utility>

#include <imbrex/base/host/background_thread.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/pe/executor.hpp>

namespace imbrex::mpi {

struct file_worker::state {
  std::function<void()> work;
  std::function<void()> after;
  executor pe;
  bool is_dropped = false;  ///< only the PE uses it
  std::mutex lock;
  std::condition_variable changed;
  enum class phase : std::uint8_t { waits, runs, has_ended } now = phase::waits;  ///< guarded by lock

  /// Calls the work, unless it has been dropped. On the worker's thread.
  void run() {
    {
      const std::scoped_lock guard(lock);
      if (now == phase::has_ended) return;
      now = phase::runs;
    }
    work();
    const std::scoped_lock guard(lock);
    now = phase::has_ended;
    changed.notify_all();
  }
  void drop() {
    is_dropped = true;
    std::unique_lock guard(lock);
    if (now == phase::waits) now = phase::has_ended;
    changed.wait(guard, [this] { return now == phase::has_ended; });
  }
};

file_worker::job& file_worker::job::operator=(job&& other) noexcept {
  if (state_) state_->drop();
  state_ = std::move(other.state_);
  return *this;
}

file_worker::job::~job() {
  if (state_) state_->drop();
}

file_worker::~file_worker() {
  {
    const std::scoped_lock guard(lock_);
    is_ending_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

file_worker::job file_worker::begin(std::function<void()> work, std::function<void()> after) {
  if (!extension::current_pe().run().is_on_threads()) {
    work();
    after();
    return {};
  }
  if (!thread_.joinable()) thread_ = background_thread("that reads and writes files", [this] { run(); });
  const auto its = std::make_shared<state>();
  its->work = std::move(work);
  its->after = std::move(after);
  its->pe = make_executor();
  {
    const std::scoped_lock guard(lock_);
    waiting_.push_back(its);
  }
  changed_.notify_one();
  return job(its);
}

void file_worker::run() {
  std::unique_lock guard(lock_);
  while (true) {
    changed_.wait(guard, [this] { return is_ending_ || !waiting_.empty(); });
    if (is_ending_) return;
    const std::shared_ptr<state> its = std::move(waiting_.front());
    waiting_.pop_front();
    guard.unlock();
    its->run();
    const executor pe = std::exchange(its->pe, {});
    pe.post([its] {
      if (!its->is_dropped) its->after();
    });
    guard.lock();
  }
}

}  // namespace imbrex::mpi
