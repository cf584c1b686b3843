// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/run/spend.hpp>

#include <algorithm>
#include <chrono>

#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/device/emulated/operation_listener.hpp>
#include <imbrex/device/model.hpp>

namespace imbrex {

nanoseconds now() { return detail::processor::here().now(); }

double seconds() { return std::chrono::duration<double>(now()).count(); }

void spend(nanoseconds time) { detail::processor::here().charge(std::max(time, nanoseconds(0))); }

void spend_copy(std::size_t bytes) {
  auto& pe = detail::processor::here();
  const device_model* const model = pe.run().model();
  if (model == nullptr) return;
  auto* const listener = pe.run().devices().listener();
  if (listener != nullptr) listener->copies(bytes);
  pe.charge(device_model::transfer_time(bytes, model->host.copy_bandwidth));
  if (listener != nullptr) listener->charged();
}

}  // namespace imbrex
