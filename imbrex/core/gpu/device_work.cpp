// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_work.hpp>

namespace imbrex::detail {

bool device_waiter::start() {
  completion_ = notify_here(stream_, {[](void* self, const std::exception_ptr& failure) {
                                        auto& waiter = *static_cast<device_waiter*>(self);
                                        waiter.completion_ = nullptr;
                                        waiter.failure_ = failure;
                                        waiter.waiter_.resume();
                                      },
                                      nullptr, this});
  return completion_ != nullptr;
}

std::string device_waiter::description() const {
  return "its device's work in " + stream_of(stream_.owner());
}

}  // namespace imbrex::detail
