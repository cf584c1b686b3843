// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <imbrex/balance/problem.hpp>

namespace imbrex::balance {

/// The arrays of a problem and its machine, which `problem` only refers to.
struct snapshot {
  std::vector<int> pe;                    ///< PE of each object at the beginning
  std::vector<double> load, device_load;  ///< seconds of each object on its PE and on its device
  std::vector<double> device_elapsed;     ///< seconds of the work on its device, if it ran by itself
  std::vector<std::uint8_t> movable;      ///< for each object, 0 if it must stay
  /// bytes that a move of each object sends, of host and device memory
  std::vector<std::uint64_t> bytes, device_bytes;
  std::vector<sent_amount> sent;   ///< messages that each object sends to others in a period
  int dimensions = 0;              ///< number of coordinates of each object
  std::vector<float> coordinates;  ///< coordinates of the objects, those of one side by side
  /// place of each object on the curve; edges, those of one object side by side
  std::vector<std::uint32_t> curve, first_edge, edge_to;
  std::vector<float> edge_bytes;  ///< bytes that each edge carries in a period

  int pes = 0;                             ///< number of PEs
  std::vector<int> node, device;           ///< node and device of each PE
  std::vector<double> speed;               ///< speed of each PE, relative to others
  std::vector<std::uint64_t> free_memory;  ///< bytes that are free on the node of each PE
  std::uint64_t seed = 0;                  ///< seed of strategies that draw random numbers

  /// The problem; valid until an array changes its length or the snapshot is destroyed.
  problem view() const {
    return {.pe = pe,
            .load = load,
            .device_load = device_load,
            .device_elapsed = device_elapsed,
            .movable = movable,
            .bytes = bytes,
            .device_bytes = device_bytes,
            .sent = sent,
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
