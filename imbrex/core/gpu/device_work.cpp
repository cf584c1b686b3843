// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/device_work.hpp>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/device/error.hpp>

namespace imbrex {

namespace {

[[noreturn, gnu::noinline]] void throw_no_device(const detail::processor& pe) {
  throw error("PE " + std::to_string(pe.pe()) + " has no device: " +
              (pe.run().devices().any()
                   ? "the run has some, but --device-map none or options::choose_device gives it none"
                   : "start the program with --device cuda, or --device emulated where there is none"));
}

}  // namespace

detail::device_completions& detail::completions_here() {
  const auto& pe = processor::here();
  if (pe.completions() == nullptr) [[unlikely]]
    throw_no_device(pe);
  return *device_completions::of(pe);
}

device& gpu() { return detail::completions_here().of(); }

namespace detail {

device_completions::completion* notify_here(stream& after, const device_completions::receiver& who) {
  return completions_here().notify(after, who);
}

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

}  // namespace detail
}  // namespace imbrex
