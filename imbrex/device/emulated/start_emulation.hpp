// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <imbrex/device/emulated/emulation.hpp>

namespace imbrex::emulated {

/// Makes the emulation for the options: with threads, or in simulated time if that is set.
std::shared_ptr<emulation> start_emulation(const emulated_options& emulation_options);

}  // namespace imbrex::emulated
