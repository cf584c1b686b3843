// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <imbrex/base/host/host_topology.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/net/host.hpp>

namespace imbrex::detail {

/// The processors near each device; none where nobody knows where it is.
std::vector<std::vector<int>> device_places(std::span<const std::unique_ptr<device>> devices);

/// How far each device is from each PE of some processes of a host, the PEs in their order. `bound`: each PE
/// stays on one processor; else those that share processors are taken to be spread over them evenly. `near`:
/// as `device_places`.
std::vector<std::vector<distance>> device_distances(const host_topology& host,
                                                    std::span<const host_process> processes, bool bound,
                                                    std::span<const std::vector<int>> near);

/// Gives each PE one of the devices that are nearest to it. PEs that have the same choice are spread over it
/// evenly, those side by side together; whoever has less choice chooses first.
std::vector<int> nearest_devices(std::span<const std::vector<distance>> distances);

/// The same for the PEs of some processes of a host, whose distances are as above. Empty where nobody knows
/// where any device is.
std::vector<int> nearest_devices(const host_topology& host, std::span<const host_process> processes,
                                 bool bound, std::span<const std::vector<int>> near);

}  // namespace imbrex::detail
