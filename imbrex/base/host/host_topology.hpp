// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct hwloc_topology;

namespace imbrex {

/// The distance of processors from an object of the host, such as a device. The values are sums over the
/// processors, so that only distances from equal processors compare.
struct distance {
  std::uint64_t latency = 0;  ///< between their NUMA nodes, from the firmware; 0 if it gives none
  std::uint64_t span = 0;     ///< number of processors in the smallest part of the host that contains both
  auto operator<=>(const distance&) const = default;
};

/// The parts of a host, as hwloc sees them. Processors have the system's numbers. If hwloc cannot read the
/// host, each processor is a core, and no device has a place.
class host_topology {
 public:
  enum class parts { processors, processors_and_devices };

  /// Reads this host. Devices take longer.
  explicit host_topology(parts requested_parts);
  /// Reads a description of hwloc: "package:2 [numa] core:4 pu:1", or its XML.
  explicit host_topology(const std::string& description);

  /// The given processors, by core. Processors unknown to hwloc count as cores.
  std::vector<std::vector<int>> cores(std::span<const int> processors) const;

  /// The processors near a device on the PCI bus, "0000:1b:00.0": those of the smallest part of the host to
  /// which it is connected. Empty if unknown, for instance for a device connected to the whole of a host that
  /// has parts.
  std::vector<int> processors_near(const std::string& pci_bus_id) const;

  /// The distance from processors to an object near `near`; an empty `near` means somewhere on the host, and
  /// counts as farthest.
  distance between(std::span<const int> processors, std::span<const int> near) const;

 private:
  struct destroy {
    void operator()(hwloc_topology* topology) const;
  };
  std::unique_ptr<hwloc_topology, destroy> topology_;  // null: nothing is known
};

}  // namespace imbrex
