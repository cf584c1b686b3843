// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/gpu/pe_device.hpp>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/pe/run_services.hpp>

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

}  // namespace detail
}  // namespace imbrex
