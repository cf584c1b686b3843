// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/thread_emulation.hpp>

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include <imbrex/base/host/background_thread.hpp>

namespace imbrex::emulated {
namespace {

int workers_for(const emulated_options& emulation_options) {
  if (emulation_options.workers > 0) return emulation_options.workers;
  const int processors = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  return std::min(processors, emulation_options.model.device.concurrent_kernels);
}

}  // namespace

thread_emulation::thread_emulation(const emulated_options& emulation_options)
    : emulation(emulation_options),
      engine_(*this,
              std::vector(static_cast<std::size_t>(emulation_options.devices), emulation_options.model),
              emulation_options.links, std::nullopt, 0, emulation_options.defect),
      running_(static_cast<std::size_t>(emulation_options.devices), 0) {
  try {
    start_threads(workers_for(emulation_options));
  } catch (...) {
    end_threads();
    throw;
  }
}

thread_emulation::~thread_emulation() { end_threads(); }

void thread_emulation::start_threads(int workers) {
  const auto add = [this](auto run) {
    threads_.push_back(background_thread("of an emulated device", std::move(run)));
  };
  add([this] { keep_time(); });
  add([this] { work(copies_); });
  add([this] { work(host_functions_); });
  for (int i = 0; i < workers; ++i) add([this] { work(kernels_); });
}

void thread_emulation::end_threads() noexcept {
  {
    const std::lock_guard guard(lock_);
    ending_ = true;
  }
  earlier_.notify_all();
  for (queue* q : {&kernels_, &copies_, &host_functions_}) q->filled.notify_all();
  for (std::thread& t : threads_) t.join();
}

void thread_emulation::enter() {
  lock_.lock();
  engine_.advance_to(clock_.now());
}

void thread_emulation::tell() noexcept {
  if (const auto due = engine_.next(); due && *due < sleeps_until_) earlier_.notify_one();
  if (engine_.take_news()) news_.notify_all();
}

void thread_emulation::leave() noexcept {
  tell();
  lock_.unlock();
}

thread_emulation::queue& thread_emulation::queue_of(const operation& op) {
  switch (op.kind) {
    case operation_kind::to_device:
    case operation_kind::from_device:
    case operation_kind::peer: return copies_;
    case operation_kind::host_function: return host_functions_;
    default: return kernels_;
  }
}

void thread_emulation::begin(operation& started) {
  queue& q = queue_of(started);
  q.waiting.push_back(&started);
  q.filled.notify_one();
}

void thread_emulation::work(queue& from) {
  std::unique_lock guard(lock_);
  for (;;) {
    from.filled.wait(guard, [&] { return ending_ || !from.waiting.empty(); });
    if (ending_) return;
    // The first operation of the highest priority: more kernels may have started than there are threads.
    const auto chosen = std::ranges::max_element(from.waiting, {}, &operation::priority);
    operation& op = **chosen;
    from.waiting.erase(chosen);
    if (!engine_.failure(op.device).empty()) continue;
    int& running = running_[static_cast<std::size_t>(op.device)];
    ++running;
    guard.unlock();
    const std::exception_ptr thrown = run(op);
    guard.lock();
    --running;
    engine_.advance_to(clock_.now());
    const int device = op.device;  // the object may be reused for another operation afterwards
    engine_.body_done(op, thrown);
    if (!engine_.failure(device).empty()) news_.notify_all();
    tell();
  }
}

void thread_emulation::keep_time() {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // nanoseconds; else sleeps are 50 us late
  std::unique_lock guard(lock_);
  while (!ending_) {
    engine_.advance_to(clock_.now());
    if (engine_.take_news()) news_.notify_all();
    const auto due = engine_.next();
    sleeps_until_ = due.value_or(nanoseconds::max());
    if (due)
      earlier_.wait_until(guard, std::chrono::steady_clock::time_point(*due));
    else
      earlier_.wait(guard);
  }
}

void thread_emulation::value_changed() {
  enter();
  engine_.value_changed();
  leave();
}

void thread_emulation::wait(const completion& awaited, int device) {
  std::unique_lock guard(lock_);
  news_.wait(guard, [&] { return seen(awaited) || !engine_.failure(device).empty(); });
}

void thread_emulation::stop(int device) noexcept {
  std::unique_lock guard(lock_);
  engine_.fail(device, "it was destroyed");
  news_.notify_all();
  news_.wait(guard, [&] { return running_[static_cast<std::size_t>(device)] == 0; });
}

}  // namespace imbrex::emulated
