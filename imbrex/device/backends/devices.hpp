// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <imbrex/device/device.hpp>
#include <imbrex/device/emulated/options.hpp>

namespace imbrex {

/// All devices that a backend finds, each by its name: "cuda", the devices visible by CUDA_VISIBLE_DEVICES,
/// or "emulated", as many as the options say, which affect no other backend. Throws `usage_error` for a
/// backend that does not exist, `error` with the reason and the remedy if it has no device.
std::vector<std::unique_ptr<device>> devices(std::string_view backend,
                                             const emulated_options& emulation_options = {});

/// The names of the backends.
std::span<const std::string_view> device_backends();

}  // namespace imbrex
