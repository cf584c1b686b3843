// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/balance/problem.hpp>

namespace imbrex::balance {

/// The arrays of a problem and its machine, which `problem` only refers to.
struct snapshot {
  std::vector<int> pe;
  std::vector<double> load, device_load;
  std::vector<std::uint8_t> movable;
  std::vector<std::uint64_t> bytes, device_bytes;
  int dimensions = 0;
  std::vector<float> coordinates;
  std::vector<std::uint32_t> curve, first_edge, edge_to;
  std::vector<float> edge_bytes;

  int pes = 0;
  std::vector<int> node, device;
  std::vector<double> speed;
  std::vector<std::uint64_t> free_memory;
  std::uint64_t seed = 0;

  /// The problem; valid until an array changes its length or the snapshot is destroyed.
  problem view() const {
    return {.pe = pe,
            .load = load,
            .device_load = device_load,
            .movable = movable,
            .bytes = bytes,
            .device_bytes = device_bytes,
            .dimensions = dimensions,
            .coordinates = coordinates,
            .curve = curve,
            .first_edge = first_edge,
            .edge_to = edge_to,
            .edge_bytes = edge_bytes,
            .on = {.pes = pes, .node = node, .device = device, .speed = speed, .free_memory = free_memory},
            .seed = seed};
  }
};

}  // namespace imbrex::balance
