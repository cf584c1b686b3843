// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/device.hpp>

#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/device/check.hpp>
#include <imbrex/device/metered_stream.hpp>

namespace imbrex {

namespace {

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

device::device(std::unique_ptr<device_backend> backend) : backend_(std::move(backend)) {}

device::~device() {
  detail::require(streams_.streams() == 0, "a device is destroyed before streams of it");
  detail::require(event_pools_ == 0, "a device is destroyed before event pools of it");
  detail::require(shared_events_.taken() == 0, "a device is destroyed before shared events of it");
  detail::require(graphs_ == 0, "a device is destroyed before graphs of it");
  backend_->drain();
}

std::size_t device::available_memory() {
  const auto of_pool = memory_.counts();
  return free_memory() + of_pool.bytes_held - of_pool.bytes_in_use;
}

std::unique_ptr<stream_backend> device::make_stream(stream_priority priority, std::string owner) {
  auto stream = backend().make_stream(priority, std::move(owner));
  if (meter_ == nullptr) return stream;
  return detail::make_metered_stream(std::move(stream), detail::work_estimate(backend_->rates()), *meter_);
}

std::size_t device::free_memory() {
  const detail::memory_pool::statistics held = memory_.counts();
  return backend().free_memory() + held.bytes_held - held.bytes_in_use;
}

std::string device::left() {
  std::string text;
  const auto add = [&text](std::size_t count, const std::string& noun) {
    if (count != 0) text += (text.empty() ? "" : ", ") + counted(count, noun);
  };
  add(streams(), "stream");
  add(static_cast<std::size_t>(event_pools_.load()), "event pool");
  add(static_cast<std::size_t>(graphs_.load()), "graph");
  add(shared_events_.taken(), "shared event");
  const auto here = memory_.counts();
  const auto pinned = pinned_.counts();
  add(here.blocks_in_use + pinned.blocks_in_use, "buffer");
  if (const auto bytes = here.bytes_in_use + pinned.bytes_in_use; bytes != 0)
    text += " of " + counted(bytes, "byte");
  return text;
}

void device::end() noexcept {
  backend_->drain();
  shared_events_.end();
  ended_ = true;
}

void device::refuse_use() const {
  throw error("something of " + info().label() +
              " is used after the run that it was made in has ended; make it anew in each run");
}

}  // namespace imbrex
