// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/stream_registry.hpp>

#include <algorithm>

#include <imbrex/device/error.hpp>

namespace imbrex::detail {
namespace {

/// False also if the emulation refuses the query: the registry queries as often as streams are made and
/// destroyed.
bool over(event_backend& event) {
  try {
    return event.done();
  } catch (const device_error&) {
    return true;  // a failed device runs nothing any more
  } catch (const error&) {
    return false;
  }
}

bool is_idle(stream_backend& stream) {
  try {
    return stream.idle();
  } catch (const device_error&) {
    throw;
  } catch (const error&) {
    return false;
  }
}

}  // namespace

bool device_moment::over() {
  std::erase_if(until_, [](const auto& event) { return detail::over(*event); });
  return until_.empty();
}

void device_moment::wait() noexcept {
  for (const auto& event : until_) try {
      event->synchronize();
    } catch (const device_error&) {  // `over` finds whether the device has failed
    }
}

void stream_registry::record(stream_backend& stream, std::vector<std::shared_ptr<event_backend>>& in) {
  try {
    if (is_idle(stream)) return;
    std::shared_ptr<event_backend> end = of_.make_event();
    stream.record(*end);
    in.push_back(std::move(end));
  } catch (const device_error&) {  // a failed device runs nothing any more
  }
}

void stream_registry::enter(stream_backend& stream) {
  const std::lock_guard guard(lock_);
  streams_.push_back(&stream);
}

void stream_registry::leave(stream_backend& stream) noexcept {
  const std::lock_guard guard(lock_);
  std::erase(streams_, &stream);
  was_left_ = true;
  if (std::erase(captured_, &stream) != 0) try {
      static_cast<void>(stream.end_capture());  // earlier work of the stream still counts
    } catch (const device_error&) {
    }
  std::erase_if(left_running_, [](const auto& left) { return over(*left); });
  if (!stream.capturing()) record(stream, left_running_);
}

std::size_t stream_registry::streams() {
  const std::lock_guard guard(lock_);
  return streams_.size();
}

void stream_registry::begin_capture(stream_backend& stream) {
  const std::lock_guard guard(lock_);
  captured_.reserve(captured_.size() + 1);
  stream.begin_capture();
  captured_.push_back(&stream);
}

std::unique_ptr<graph_backend> stream_registry::end_capture(stream_backend& stream) {
  const std::lock_guard guard(lock_);
  try {
    auto graph = stream.end_capture();
    std::erase(captured_, &stream);
    return graph;
  } catch (...) {
    if (!stream.capturing()) std::erase(captured_, &stream);
    throw;
  }
}

void stream_registry::join(stream_backend& stream, event_backend& until) {
  const std::lock_guard guard(lock_);
  stream.wait(until);
}

/// True also if the capture began in another device's stream.
bool stream_registry::is_capturing() {
  return !captured_.empty() ||
         std::ranges::any_of(streams_, [](stream_backend* stream) { return stream->capturing(); });
}

void stream_registry::check() {
  const std::lock_guard guard(lock_);
  for (stream_backend* stream : streams_)
    if (!stream->capturing()) static_cast<void>(stream->idle());
  if (was_left_) static_cast<void>(of_.make_stream(stream_priority::normal, "the end of the run")->idle());
}

bool stream_registry::wait_for_all(stream_backend& later) {
  const std::unique_ptr<device_moment> moment = now();
  if (moment == nullptr) return false;
  for (const auto& event : moment->until_) later.wait(*event);
  return true;
}

std::unique_ptr<device_moment> stream_registry::now() {
  const std::lock_guard guard(lock_);
  if (is_capturing()) return nullptr;
  std::erase_if(left_running_, [](const auto& event) { return over(*event); });
  auto moment = std::make_unique<device_moment>();
  moment->until_ = left_running_;
  for (stream_backend* stream : streams_) record(*stream, moment->until_);
  return moment;
}

}  // namespace imbrex::detail
