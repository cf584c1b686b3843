// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <imbrex/device/device.hpp>
#include <imbrex/device/emulated/options.hpp>

namespace imbrex {

/// Devices emulated on this machine. Throws `usage_error` for invalid options.
std::vector<std::unique_ptr<device>> emulated_devices(const emulated_options& emulation_options);

/// Makes an emulated device fail now, as if it had fallen off its bus. Throws `error` for a device of another
/// backend.
void lose(device& which);

}  // namespace imbrex
