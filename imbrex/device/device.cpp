// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/device.hpp>

#include <utility>

#include <imbrex/device/check.hpp>

namespace imbrex {

device::device(std::unique_ptr<device_backend> backend) : backend_(std::move(backend)) {}

device::~device() {
  detail::require(streams_.streams() == 0, "a device is destroyed before streams of it");
  detail::require(event_pools_ == 0, "a device is destroyed before event pools of it");
  backend_->drain();
}

std::size_t device::free_memory() {
  const memory_pool::statistics held = memory_.counts();
  return backend_->free_memory() + held.bytes_held - held.bytes_in_use;
}

}  // namespace imbrex
