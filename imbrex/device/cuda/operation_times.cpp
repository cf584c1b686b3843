// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/cuda/operation_times.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include <imbrex/base/log.hpp>
#include <imbrex/device/cuda/api.hpp>

namespace imbrex {

operation_times::timed::timed(operation_times& by, cudaStream_t in, const finished_operation& what) noexcept
    : by_(by), in_(in), what_(what), exceptions_(std::uncaught_exceptions()) {
  if (by_.observed_.load(std::memory_order_relaxed)) [[unlikely]]
    begin_ = by_.begin(in);
}

operation_times::timed::~timed() {
  if (begin_ && std::uncaught_exceptions() == exceptions_) [[unlikely]]
    by_.end(in_, what_, std::move(begin_));
}

operation_times::~operation_times() { observe(nullptr); }

bool operation_times::observe(operation_observer* observer) noexcept {
  catch_up();
  const std::lock_guard hold(lock_);
  stop();
  if (observer == nullptr) return true;
  try {
    if (cudaSetDevice(device_) == cudaSuccess &&
        cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking) == cudaSuccess) {
      // The run has not begun, so this may take its time. The first calls are slow.
      nanoseconds least = between_anchors;
      for (int attempt = 0; attempt < 5; ++attempt) least = set_anchor(least).value_or(least);
    }
  } catch (const std::bad_alloc&) {  // no anchor is set
  }
  if (!anchor_) {
    stop();
    return false;
  }
  observer_ = observer;
  last_report_time_ = host_.now();
  observed_.store(true, std::memory_order_relaxed);
  return true;
}

void operation_times::catch_up() noexcept {
  const std::lock_guard hold(lock_);
  if (observer_ == nullptr) return;
  try {
    find_ended();
    if (observer_ != nullptr) tell(nanoseconds::max());
  } catch (const std::bad_alloc&) {
    give_up("there is no memory for them");
  }
}

void operation_times::give_up(const char* why) noexcept {
  stop();
  try {
    log(log_level::warning, std::string("further operations of a GPU will not be in the trace: ") + why);
  } catch (const std::bad_alloc&) {  // the warning is lost
  }
}

void operation_times::stop() noexcept {
  observed_.store(false, std::memory_order_relaxed);
  observer_ = nullptr;
  running_.clear();
  last_end_.clear();
  reported_end_.clear();
  ended_.clear();
  spare_.clear();
  anchor_.reset();
  if (side_ != nullptr) static_cast<void>(cudaStreamDestroy(std::exchange(side_, nullptr)));
}

operation_times::event operation_times::take_event() {
  {
    const std::lock_guard hold(lock_);
    if (observer_ == nullptr) return nullptr;
    if (!spare_.empty()) {
      event taken = std::move(spare_.back());
      spare_.pop_back();
      return taken;
    }
  }
  return new_event();
}

operation_times::event operation_times::new_event() {
  cudaEvent_t new_handle = nullptr;
  // A kernel's function may have chosen another device.
  if (cudaSetDevice(device_) != cudaSuccess || cudaEventCreate(&new_handle) != cudaSuccess) return nullptr;
  return event(new_handle);
}

// Does not hold the lock while the driver may wait for room in the stream: other threads must make that room.
operation_times::event operation_times::begin(cudaStream_t in) noexcept {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(in, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone)
    return nullptr;
  event begun = take_event();
  if (begun && cudaEventRecord(begun.get(), in) == cudaSuccess) return begun;
  const std::lock_guard hold(lock_);
  if (observer_ != nullptr) give_up("its driver refused to time events");
  return nullptr;
}

void operation_times::end(cudaStream_t in, const finished_operation& what, event begun) noexcept {
  event over = take_event();
  const bool is_timed = over && cudaEventRecord(over.get(), in) == cudaSuccess;
  const std::lock_guard hold(lock_);
  if (observer_ == nullptr) return;
  if (!is_timed) return give_up("its driver refused to time events");
  try {
    running_[what.stream].push_back({what.what, std::string(what.name), what.owner, what.stream, what.bytes,
                                     std::move(begun), std::move(over), anchor_});
    look(host_.now());
  } catch (const std::bad_alloc&) {
    give_up("there is no memory for them");
  }
}

void operation_times::look(nanoseconds now) {
  if (now - last_look_ < between_looks) return;
  last_look_ = now;
  find_ended();
  if (observer_ == nullptr) return;
  tell(now - settling);
  if (now >= next_anchor_) set_anchor(longest_anchor);
}

void operation_times::find_ended() {
  for (auto stream = running_.begin(); stream != running_.end();) {
    auto& row = stream->second;
    cudaError_t state = cudaSuccess;
    while (!row.empty() && (state = cudaEventQuery(row.front().end.get())) == cudaSuccess) {
      if (auto op = times_of(std::move(row.front()))) ended_.push_back(*std::move(op));
      row.pop_front();
    }
    if (state != cudaSuccess && state != cudaErrorNotReady) return give_up("it has failed");
    stream = row.empty() ? running_.erase(stream) : std::next(stream);
  }
  gpu::forget_not_ready();
}

std::optional<operation_times::ended> operation_times::times_of(running op) {
  const auto time_of = [&](const event& e) -> std::optional<nanoseconds> {
    float milliseconds = 0;
    if (cudaEventElapsedTime(&milliseconds, op.since->at.get(), e.get()) != cudaSuccess) return std::nullopt;
    return op.since->time + nanoseconds(static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6));
  };
  const auto begin = time_of(op.begin);
  const auto end = time_of(op.end);
  if (!begin || !end) return std::nullopt;
  // A new anchor must not make operations of one stream overlap.
  nanoseconds& last = last_end_[op.stream];
  const nanoseconds first = std::max(*begin, last);
  last = std::max(*end, first);
  return ended{std::move(op), first, last};
}

void operation_times::tell(nanoseconds before) {
  std::sort(ended_.begin(), ended_.end(), [](const ended& l, const ended& r) { return l.end < r.end; });
  auto next = ended_.begin();
  for (; next != ended_.end() && next->end < before; ++next) {
    running& op = next->one;
    last_report_time_ = std::max(last_report_time_, next->end);
    // The reported end of the operation before may be later than the measured one.
    nanoseconds& before_it = reported_end_[op.stream];
    const nanoseconds begin =
        std::clamp(next->begin, std::min(before_it, last_report_time_), last_report_time_);
    before_it = last_report_time_;
    observer_->finished({op.what, op.name, op.stream, op.owner, op.bytes, begin, last_report_time_});
    spare_.push_back(std::move(op.begin));
    spare_.push_back(std::move(op.end));
  }
  ended_.erase(ended_.begin(), next);
}

std::optional<nanoseconds> operation_times::set_anchor(nanoseconds longest) {
  const nanoseconds before = host_.now();
  next_anchor_ = before + before_another_try;
  event now = new_event();
  if (!now || cudaEventRecord(now.get(), side_) != cudaSuccess) return std::nullopt;
  cudaError_t state = cudaErrorNotReady;
  const nanoseconds begin = host_.now();
  nanoseconds waited{0};
  while (state == cudaErrorNotReady && waited < longest) {
    state = cudaEventQuery(now.get());
    waited = host_.now() - begin;
  }
  gpu::forget_not_ready();
  if (state != cudaSuccess || waited >= longest) return std::nullopt;
  anchor_ = std::make_shared<const anchor>(std::move(now), begin + waited / 2);
  next_anchor_ = begin + between_anchors;
  return waited;
}

}  // namespace imbrex
