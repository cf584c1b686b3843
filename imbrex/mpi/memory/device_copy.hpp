// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <memory>

#include <imbrex/device/device.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex::mpi {

// All functions run on the thread of a PE that has a device.

/// Orders a copy by devices of this process. `to_on` and `from_on` are the devices that hold the memory;
/// null: the host, for at most one of the two. Returns the stream used. Copies between a device and the host
/// share one stream. Copies from another device or another process of this host run concurrently.
stream& order_copy(void* to, device* to_on, const void* from, device* from_on, std::size_t bytes);

/// Completion receiver that calls `end()` of an object, and deletes it.
template <class Copy>
detail::device_completions::receiver receiver_for(std::unique_ptr<Copy> copy) {
  return {[](void* self, const std::exception_ptr& failure) {
            const std::unique_ptr<Copy> its(static_cast<Copy*>(self));
            if (failure) std::rethrow_exception(failure);
            its->end();
          },
          [](void* self) noexcept { delete static_cast<Copy*>(self); }, copy.release()};
}

/// Notifies the receiver once all work ordered in the stream is done, maybe at once, or when the device
/// fails.
void notify_when_done(stream& after, const detail::device_completions::receiver& receiver);

}  // namespace imbrex::mpi
