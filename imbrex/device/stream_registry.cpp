// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/stream_registry.hpp>

#include <algorithm>

#include <imbrex/device/error.hpp>

namespace imbrex::detail {
namespace {

bool over(event_backend& one) {
  try {
    return one.done();
  } catch (const device_error&) {
    return true;  // a device that has failed runs nothing any more
  }
}

}  // namespace

bool device_moment::over() {
  std::erase_if(until_, [](const auto& one) { return detail::over(*one); });
  return until_.empty();
}

void device_moment::wait() noexcept {
  for (const auto& one : until_) try {
      one->synchronize();
    } catch (const device_error&) {  // `over` will tell whether it has failed
    }
}

void stream_registry::record(stream_backend& one, std::vector<std::shared_ptr<event_backend>>& in) {
  try {
    if (one.idle()) return;
    std::shared_ptr<event_backend> end = of_.make_event();
    one.record(*end);
    in.push_back(std::move(end));
  } catch (const device_error&) {  // runs nothing any more
  }
}

void stream_registry::enter(stream_backend& one) {
  const std::lock_guard guard(lock_);
  streams_.push_back(&one);
}

void stream_registry::leave(stream_backend& one) noexcept {
  const std::lock_guard guard(lock_);
  std::erase(streams_, &one);
  was_left_ = true;
  if (std::erase(captured_, &one) != 0) try {
      static_cast<void>(one.end_capture());  // what it ran before counts on
    } catch (const device_error&) {
    }
  std::erase_if(left_running_, [](const auto& left) { return over(*left); });
  if (!one.capturing()) record(one, left_running_);
}

std::size_t stream_registry::streams() {
  const std::lock_guard guard(lock_);
  return streams_.size();
}

void stream_registry::begin_capture(stream_backend& one) {
  const std::lock_guard guard(lock_);
  captured_.reserve(captured_.size() + 1);
  one.begin_capture();
  captured_.push_back(&one);
}

std::unique_ptr<graph_backend> stream_registry::end_capture(stream_backend& one) {
  const std::lock_guard guard(lock_);
  try {
    auto made = one.end_capture();
    std::erase(captured_, &one);
    return made;
  } catch (...) {
    if (!one.capturing()) std::erase(captured_, &one);
    throw;
  }
}

void stream_registry::join(stream_backend& one, event_backend& until) {
  const std::lock_guard guard(lock_);
  one.wait(until);
}

/// Also by the capture of another device's stream.
bool stream_registry::is_capturing() {
  return !captured_.empty() ||
         std::ranges::any_of(streams_, [](stream_backend* one) { return one->capturing(); });
}

void stream_registry::check() {
  const std::lock_guard guard(lock_);
  for (stream_backend* one : streams_)
    if (!one->capturing()) static_cast<void>(one->idle());
  if (was_left_) static_cast<void>(of_.make_stream(stream_priority::normal, "the end of the run")->idle());
}

std::unique_ptr<device_moment> stream_registry::now() {
  const std::lock_guard guard(lock_);
  if (is_capturing()) return nullptr;
  std::erase_if(left_running_, [](const auto& one) { return over(*one); });
  auto moment = std::make_unique<device_moment>();
  moment->until_ = left_running_;
  for (stream_backend* one : streams_) record(*one, moment->until_);
  return moment;
}

}  // namespace imbrex::detail
