// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/start_emulation.hpp>

#include <imbrex/device/emulated/simulated_emulation.hpp>
#include <imbrex/device/emulated/thread_emulation.hpp>

namespace imbrex::emulated {

std::shared_ptr<emulation> start_emulation(const emulated_options& emulation_options) {
  if (emulation_options.time != nullptr) return std::make_shared<simulated_emulation>(emulation_options);
  return std::make_shared<thread_emulation>(emulation_options);
}

}  // namespace imbrex::emulated
