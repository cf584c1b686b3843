// SPDX-License-Identifier: Apache-2.0
#include <imbrex/base/error.hpp>
#include <imbrex/device/cuda/cuda_devices.hpp>

namespace imbrex {

std::vector<std::unique_ptr<device>> cuda_devices() {
  throw error(
      "Imbrex was built without CUDA; install the CUDA toolkit and build again, or run on the emulated "
      "device (--device emulated)");
}

}  // namespace imbrex
