// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/extension/device.hpp>

#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::extension {

std::span<const std::unique_ptr<device>> devices_of_run() {
  return detail::processor::here().run().devices().all();
}

bool may_share_memory(int with) { return detail::may_share_memory(detail::processor::running_here(), with); }

void require_no_sharing(int with, device& of) {
  detail::require_no_sharing(detail::processor::running_here(), with, of);
}

}  // namespace imbrex::extension
