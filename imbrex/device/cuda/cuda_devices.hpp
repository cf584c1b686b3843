// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include <imbrex/device/device.hpp>

namespace imbrex {

/// The GPUs that this process may use. Throws `error` with the remedy if there are none, or if Imbrex was
/// built without CUDA.
std::vector<std::unique_ptr<device>> cuda_devices();

}  // namespace imbrex
