// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/cuda/operation_times.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace imbrex {

operation_times::timed::timed(operation_times& by, cudaStream_t in, const finished_operation& what) noexcept
    : by_(by), in_(in), what_(what) {
  if (by_.observed_.load(std::memory_order_relaxed)) [[unlikely]]
    begin_ = by_.begin(in);
}

operation_times::timed::~timed() {
  if (begin_ != nullptr) [[unlikely]]
    by_.end(in_, what_, begin_);
}

operation_times::~operation_times() { observe(nullptr); }

bool operation_times::observe(operation_observer* told) noexcept {
  const std::lock_guard hold(lock_);
  try {
    if (told_ != nullptr) {
      find_ended();
      tell(nanoseconds::max());
    }
  } catch (const std::bad_alloc&) {  // then what is left is not told
  }
  stop();
  if (told == nullptr) return true;
  if (cudaSetDevice(device_) == cudaSuccess &&
      cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking) == cudaSuccess) {
    // The first calls are slow.
    for (int attempt = 0; attempt < 3; ++attempt) set_anchor(between_anchors);
  }
  if (!anchor_) {
    stop();
    return false;
  }
  told_ = told;
  last_told_ = host_.now();
  observed_.store(true, std::memory_order_relaxed);
  return true;
}

void operation_times::stop() noexcept {
  observed_.store(false, std::memory_order_relaxed);
  told_ = nullptr;
  running_.clear();
  ended_.clear();
  spare_.clear();
  anchor_.reset();
  if (side_ != nullptr) static_cast<void>(cudaStreamDestroy(std::exchange(side_, nullptr)));
  static_cast<void>(cudaGetLastError());
}

operation_times::event operation_times::take_event() {
  if (!spare_.empty()) {
    event taken = std::move(spare_.back());
    spare_.pop_back();
    return taken;
  }
  cudaEvent_t made = nullptr;
  if (cudaEventCreate(&made) != cudaSuccess) return nullptr;
  return event(made);
}

cudaEvent_t operation_times::begin(cudaStream_t in) noexcept {
  const std::lock_guard hold(lock_);
  if (told_ == nullptr) return nullptr;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(in, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone)
    return nullptr;
  event begun = take_event();
  if (!begun || !record(begun, in)) {
    stop();
    return nullptr;
  }
  return begun.release();
}

void operation_times::end(cudaStream_t in, const finished_operation& what, cudaEvent_t begin) noexcept {
  event begun(begin);
  const std::lock_guard hold(lock_);
  if (told_ == nullptr) return;
  try {
    event over = take_event();
    if (!over || !record(over, in)) return stop();
    running_[what.stream].push_back({what.what, std::string(what.name), what.owner, what.stream, what.bytes,
                                     std::move(begun), std::move(over), anchor_});
    look(host_.now());
  } catch (const std::bad_alloc&) {
    stop();
  }
}

void operation_times::look(nanoseconds now) {
  if (now - last_look_ < between_looks) return;
  last_look_ = now;
  find_ended();
  tell(now - settling);
  if (told_ != nullptr && now - last_anchor_ >= between_anchors) set_anchor(longest_anchor);
}

void operation_times::find_ended() {
  for (auto stream = running_.begin(); stream != running_.end();) {
    auto& row = stream->second;
    while (!row.empty() && cudaEventQuery(row.front().end.get()) == cudaSuccess) {
      ended_.push_back(times_of(std::move(row.front())));
      row.pop_front();
    }
    stream = row.empty() ? running_.erase(stream) : std::next(stream);
  }
  // cudaErrorNotReady is not an error that the next launch is to find.
  static_cast<void>(cudaGetLastError());
}

operation_times::ended operation_times::times_of(running one) const {
  const auto time_of = [&](const event& e) {
    float milliseconds = 0;
    static_cast<void>(cudaEventElapsedTime(&milliseconds, one.since->at.get(), e.get()));
    return one.since->time + nanoseconds(static_cast<std::int64_t>(static_cast<double>(milliseconds) * 1e6));
  };
  const nanoseconds begin = time_of(one.begin);
  const nanoseconds end = time_of(one.end);
  return {std::move(one), begin, end};
}

void operation_times::tell(nanoseconds before) {
  std::sort(ended_.begin(), ended_.end(), [](const ended& l, const ended& r) { return l.end < r.end; });
  auto next = ended_.begin();
  for (; next != ended_.end() && next->end < before; ++next) {
    running& one = next->one;
    last_told_ = std::max(last_told_, next->end);
    told_->finished({one.what, one.name, one.stream, one.owner, one.bytes, std::min(next->begin, last_told_),
                     last_told_});
    spare_.push_back(std::move(one.begin));
    spare_.push_back(std::move(one.end));
  }
  ended_.erase(ended_.begin(), next);
}

void operation_times::set_anchor(nanoseconds longest) {
  last_anchor_ = host_.now();
  event now = take_event();
  if (!now || !record(now, side_)) return;
  cudaError_t state = cudaErrorNotReady;
  nanoseconds waited{0};
  while (state == cudaErrorNotReady && waited < longest) {
    state = cudaEventQuery(now.get());
    waited = host_.now() - last_anchor_;
  }
  static_cast<void>(cudaGetLastError());
  if (state == cudaSuccess)
    anchor_ = std::make_shared<const anchor>(std::move(now), last_anchor_ + waited / 2);
}

}  // namespace imbrex
