// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/spend.hpp>

#include <algorithm>

#include <imbrex/core/runtime.hpp>
#include <imbrex/core/virtual_machine.hpp>

namespace imbrex {

nanoseconds now() { return detail::processor::here().now(); }

void spend(nanoseconds time) { detail::processor::here().charge(std::max(time, nanoseconds(0))); }

void spend_copy(std::size_t bytes) {
  auto& pe = detail::processor::here();
  const auto* const modelled = pe.owner().modelled();
  if (modelled != nullptr)
    pe.charge(device_model::transfer_time(bytes, modelled->model().host.copy_bandwidth));
}

}  // namespace imbrex
