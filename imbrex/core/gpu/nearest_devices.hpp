// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <imbrex/base/host/host_topology.hpp>
#include <imbrex/device/device.hpp>
#include <imbrex/net/host.hpp>

namespace imbrex::detail {

/// The processors near each device; empty if its location is unknown.
std::vector<std::vector<int>> device_places(std::span<const std::unique_ptr<device>> devices);

/// The distance of each device from each PE of these processes of a host; PEs in their order. `bound`: each
/// PE stays on one processor; otherwise PEs that share processors are assumed to be spread evenly. `near`: as
/// from `device_places`.
std::vector<std::vector<distance>> device_distances(const host_topology& host,
                                                    std::span<const host_process> processes, bool bound,
                                                    std::span<const std::vector<int>> near);

/// Assigns each PE one of its nearest devices. PEs with the same nearest devices are spread evenly, and
/// neighbours stay together. PEs with fewer nearest devices choose first.
std::vector<int> nearest_devices(std::span<const std::vector<distance>> distances);

/// Assigns devices to the PEs of these processes, with distances as above. Empty if no device's location is
/// known.
std::vector<int> nearest_devices(const host_topology& host, std::span<const host_process> processes,
                                 bool bound, std::span<const std::vector<int>> near);

}  // namespace imbrex::detail
