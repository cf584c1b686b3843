// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace imbrex::balance {

/// The PEs of a run. Each array has one value for each PE, unless its comment differs; an empty array stands
/// for its default.
struct machine {
  int pes = 0;                                 ///< number of PEs; their numbers are 0 to `pes` - 1
  std::span<const int> node;                   ///< numbered from 0; default: all PEs are on node 0
  std::span<const int> device;                 ///< numbered from 0, -1: none; default: no PE has a device
  std::span<const double> speed;               ///< relative, positive; default: 1
  std::span<const std::uint64_t> free_memory;  ///< bytes on each device; default: no limit

  /// Node that this PE is on; 0 if the nodes are unknown.
  int node_of(int pe) const { return node.empty() ? 0 : node[static_cast<std::size_t>(pe)]; }
  /// -1 if the PE has no device.
  int device_of(int pe) const { return device.empty() ? -1 : device[static_cast<std::size_t>(pe)]; }
  /// Work of this PE in a second, relative to others; 1 if the speeds are unknown.
  double speed_of(int pe) const { return speed.empty() ? 1 : speed[static_cast<std::size_t>(pe)]; }
  /// The number of nodes: one more than the largest number of a node. O(PEs).
  int nodes() const;
  /// The number of devices: one more than the largest number of a device. O(PEs).
  int devices() const;
};

/// The messages that an object sends to others in a period.
struct sent_amount {
  float bytes = 0;     ///< packed bytes of these messages
  float messages = 0;  ///< number of messages

  /// True if both amounts are equal.
  bool operator==(const sent_amount&) const = default;
};

/// A question for a strategy: objects, their loads and places, and the machine. The arrays belong to whoever
/// poses the problem. Each has one value for each object, unless its comment differs; an empty array stands
/// for its default.
struct problem {
  static constexpr int most_dimensions = 6;  ///< largest number of coordinates of an object

  std::span<const int> pe;       ///< the object's PE; never empty unless there are no objects
  std::span<const double> load;  ///< expected seconds in the next period, on a PE of speed 1; default: 0
  std::span<const double> device_load;  ///< expected seconds on a device; default: 0
  /// seconds of the object's work on a device, if all of it ran by itself; default: unknown
  std::span<const double> device_elapsed;
  std::span<const std::uint8_t> movable;        ///< 0: the object stays; default: all may move
  std::span<const std::uint64_t> bytes;         ///< bytes of a migration; default: 0
  std::span<const std::uint64_t> device_bytes;  ///< device memory that migrates with the object; default: 0
  std::span<const sent_amount> sent;            ///< messages that the object sends; default: none
  int dimensions = 0;                           ///< dimensions of the coordinates: 0 to 6
  std::span<const float> coordinates;           ///< as many for each object as there are dimensions
  std::span<const std::uint32_t> curve;         ///< the objects along a curve; default: `curve_order`
  std::span<const std::uint32_t>
      first_edge;  ///< first edge of each object, and the number of edges; default: no edges
  std::span<const std::uint32_t> edge_to;  ///< for each edge: the other object
  std::span<const float> edge_bytes;       ///< for each edge: bytes in a period; default: 1
  machine on;                              ///< PEs, nodes and devices of the run
  double tolerance = 0.02;                 ///< share of the average by which a PE may exceed it
  std::uint64_t seed = 0;  ///< strategies with the same problem and seed have the same solution

  /// The number of objects.
  std::size_t size() const { return pe.size(); }
  /// Processor time of an object in the period, in seconds; 0 if the loads are unknown.
  double load_of(std::size_t object) const { return load.empty() ? 0 : load[object]; }
  /// Time of an object on its PE's device, in seconds; 0 if unknown.
  double device_load_of(std::size_t object) const { return device_load.empty() ? 0 : device_load[object]; }
  /// True if a strategy may give the object another PE.
  bool is_movable(std::size_t object) const { return movable.empty() || movable[object] != 0; }
  /// Bytes that a move of the object would send; 0 if unknown.
  std::uint64_t bytes_of(std::size_t object) const { return bytes.empty() ? 0 : bytes[object]; }
  /// Device memory that a move of the object would send, in bytes; 0 if unknown.
  std::uint64_t device_bytes_of(std::size_t object) const {
    return device_bytes.empty() ? 0 : device_bytes[object];
  }
};

/// Throws imbrex::error, with the value and the remedy, unless the problem makes sense: arrays have the right
/// lengths, loads are finite and not negative, PEs, nodes, devices and objects exist. O(objects + edges +
/// PEs).
void check(const problem& p);

}  // namespace imbrex::balance
