// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/stream.hpp>

#include <atomic>
#include <utility>

#include <imbrex/device/error.hpp>

namespace imbrex {

namespace {

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> count = 0;
  return count.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

stream::stream(device& on, stream_priority priority, std::string owner)
    : on_(&on),
      priority_(priority),
      owner_(std::move(owner)),
      number_(next_number()),
      backend_(on.make_stream(priority, owner_)) {
  on.registry().enter(*backend_);
}

stream& stream::operator=(stream&& other) noexcept {
  if (this == &other) return *this;
  leave();
  on_ = other.on_;
  priority_ = other.priority_;
  owner_ = std::move(other.owner_);
  number_ = other.number_;
  is_shared_ = other.is_shared_;
  backend_ = std::move(other.backend_);
  return *this;
}

stream::~stream() { leave(); }

void stream::leave() noexcept {
  if (backend_ != nullptr && on_->ended()) {  // the backend has ended with the run
    static_cast<void>(backend_.release());
    return;
  }
  if (backend_ != nullptr) on_->registry().leave(*backend_);
  backend_.reset();
}

void stream::refuse_use() const {
  if (backend_ == nullptr) throw error("a stream is used after it was moved from; use what it was moved to");
  on_->refuse_use();
}

void stream::refuse_device(std::string_view operation, std::string_view what, const void* device) const {
  on_->check_alive();
  throw device_error(on_->info().label(), owner_, std::string(operation),
                     "it uses " + std::string(what) + " of " + detail::info_of(device).label() +
                         "; make what a stream uses on its own device, or copy memory from the other one");
}

void stream::refuse_lengths(std::size_t to, std::size_t from) const {
  throw device_error(on_->info().label(), owner_, "copy",
                     "from " + std::to_string(from) + " elements to " + std::to_string(to) +
                         "; take a subspan of the longer one");
}

void stream::check_backend(std::string_view operation, const void* device) const {
  const device_info& other = detail::info_of(device);
  if (other.backend != on_->info().backend)
    throw device_error(on_->info().label(), owner_, std::string(operation),
                       "it is of " + other.label() + ", which this device cannot wait for");
}

void stream::check_other(const void* device) const {
  const device_info& other = detail::info_of(device);
  if (!on_->info().can.peer_copies || other.backend != on_->info().backend)
    throw device_error(
        on_->info().label(), owner_, "copy",
        "this device cannot copy from or to " + other.label() + "; copy through pinned memory");
}

void stream::require_values(std::string_view operation) const {
  if (!on_->info().can.stream_values)
    throw device_error(on_->info().label(), owner_, std::string(operation),
                       "this device's streams cannot write and wait for values; use events");
}

void stream::require_graphs() const {
  if (!on_->info().can.graphs)
    throw device_error(on_->info().label(), owner_, "graph",
                       "this device has no graphs; submit the operations one by one");
}

void stream::launch(graph& what) {
  require_graphs();
  if (what.backend_ == nullptr)
    throw error("a graph is used after it was moved from; use what it was moved to");
  check_device("launch of a graph", "a graph", what.of_->info().id);
  backend().launch(*what.backend_);
}

void stream::record(event& at) {
  event_backend& marked = at.backend();
  check_device("record an event", "an event", at.device());
  backend().record(marked);
  at.recorded_ = true;
}

shared_event::shared_event(stream& work) { mark(work); }

namespace {

[[noreturn, gnu::noinline]] void refuse_mark(const stream& captured) {
  throw device_error(captured.on().info().label(), captured.owner(), "record an event",
                     "the stream is being captured, and what is outside cannot wait for it; send after the "
                     "capture has ended");
}

}  // namespace

void shared_event::mark(stream& work) {
  if (work.capturing()) [[unlikely]]
    refuse_mark(work);
  if (at_ != nullptr) return work.record(*this);
  at_ = &work.on().shared_events().take();
  try {
    work.record(*this);
  } catch (...) {
    *this = {};
    throw;
  }
}

void stream::record(shared_event& at) { backend().record(at.backend()); }

void stream::wait(const event& until) {
  if (until.recorded_) wait(until.backend(), until.device());
}

void stream::wait(native_stream until) { backend().wait(until); }

void stream::delay(native_stream others) { backend().delay(others); }

void stream::wait(event_backend& awaited, const void* device) {
  if (device == on_->info().id) {
    backend().wait(awaited);
  } else {
    check_backend("wait for an event", device);
    on_->registry().join(backend(), awaited);
  }
  if (is_shared_ && capturing()) refuse_capture("wait for an event");
}

void stream::write(device_flag to, std::uint32_t value) {
  require_values("write value");
  check_device("write value", "a flag", to.device);
  backend().write(*to.word, value);
}

void stream::wait(device_flag until, std::uint32_t at_least) {
  require_values("wait for value");
  check_device("wait for value", "a flag", until.device);
  backend().wait(*until.word, at_least);
}

bool detail::wait_for_device(stream& later) { return later.on().registry().wait_for_all(later.backend()); }

bool stream::idle() { return backend().idle(); }

void stream::synchronize() { backend().synchronize(); }

void stream::begin_capture() {
  require_graphs();
  if (is_shared_) refuse_capture("begin capture");
  on_->registry().begin_capture(backend());
}

void stream::refuse_capture(std::string_view operation) const {
  throw device_error(
      on_->info().label(), owner_, std::string(operation),
      "several PEs share this stream and would be captured too; capture streams of the chare's own, "
      "or run with --streams single, two or four");
}

graph stream::end_capture() {
  require_graphs();
  return {*on_, on_->registry().end_capture(backend())};
}

}  // namespace imbrex
