// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/start_emulation.hpp>

#include <imbrex/device/emulated/simulated_emulation.hpp>
#include <imbrex/device/emulated/thread_emulation.hpp>

namespace imbrex::emulated {

std::shared_ptr<emulation> start_emulation(const emulated_options& how) {
  if (how.time != nullptr) return std::make_shared<simulated_emulation>(how);
  return std::make_shared<thread_emulation>(how);
}

}  // namespace imbrex::emulated
