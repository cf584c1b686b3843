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

/// How far processors are from something of the host, such as a device; sums over the processors, so that
/// only distances from the same processors compare.
struct distance {
  std::uint64_t latency = 0;  ///< between their NUMA nodes, as the firmware states it; 0 where it does not
  std::uint64_t span = 0;     ///< how many processors the smallest part of the host has that holds both
  auto operator<=>(const distance&) const = default;
};

/// The parts of a host, as hwloc sees them. Processors go by the system's numbers. Of a host that hwloc
/// cannot read nothing is known: each processor is a core, and no device has a place.
class host_topology {
 public:
  enum class parts { processors, processors_and_devices };

  /// Of this host. Looking for devices takes longer.
  explicit host_topology(parts wanted);
  /// Of a host that hwloc describes: "package:2 [numa] core:4 pu:1", or its XML.
  explicit host_topology(const std::string& description);

  /// The processors of each core, as far as they are among those given. Those that hwloc does not know are
  /// cores by themselves.
  std::vector<std::vector<int>> cores(std::span<const int> processors) const;

  /// The processors near a device on the PCI bus, "0000:1b:00.0": those of the smallest part of the host that
  /// it is connected to. Empty if that is not known, as of a device that is connected to the whole of a host
  /// that has parts.
  std::vector<int> processors_near(const std::string& pci_bus_id) const;

  /// From processors to what is near those others; these may be none for what is somewhere on the host, and
  /// then counts as farthest.
  distance between(std::span<const int> processors, std::span<const int> near) const;

 private:
  struct destroy {
    void operator()(hwloc_topology* topology) const;
  };
  std::unique_ptr<hwloc_topology, destroy> topology_;  // null: nothing is known
};

}  // namespace imbrex
