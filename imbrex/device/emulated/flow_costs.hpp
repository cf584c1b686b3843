// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/base/clock.hpp>
#include <imbrex/device/emulated/operation_listener.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/trace/flow.hpp>

namespace imbrex {

/// The cost of a PE to send a message, by its kind.
nanoseconds cost_of(const device_model& model, trace::flow::send_cost kind);

/// The cost of a PE to begin an item, by its kind.
nanoseconds cost_of(const device_model& model, trace::flow::item_cost kind);

/// The minimum cost of beginning an item.
nanoseconds least_item_cost(const device_model& model);

/// The cost of a call of a device; `operations`: of the graph that it launches.
nanoseconds cost_of(const device_model& model, emulated::host_call what, std::uint64_t operations);

}  // namespace imbrex
