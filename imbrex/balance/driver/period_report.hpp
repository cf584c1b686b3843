// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <imbrex/balance/problem.hpp>
#include <imbrex/core/options/options.hpp>

namespace imbrex::balance::detail {

/// A device of which some PEs are in a subtree.
struct device_part {
  std::int32_t device = 0;  ///< as `balanced_device::number`
  std::int32_t pes = 0;     ///< number of its PEs in the subtree
  std::int32_t all = 0;     ///< number of its PEs in the run
  double load = 0;          ///< load by the PEs in the subtree

  void serialize(auto& ar) { ar(device, pes, all, load); }
};

/// The times of a period on the PEs of a subtree, in seconds. Loads are those of a step between two balance
/// points, or of the period where elements pass none.
struct period_report {
  double busiest = 0;              ///< load of the busiest PE
  double busy = 0;                 ///< load of all PEs
  double largest = 0;              ///< load of the largest element
  double duration = 0;             ///< longest period of a PE
  double own = 0;                  ///< time of the balancer on the PE where it took the longest
  double other = 0;                ///< time of items of no element, on the PE where they took the longest
  double error_steady = 0;         ///< sum of |load - load before|
  double error_moving = 0;         ///< sum of |load - extrapolated load|
  double busiest_device = 0;       ///< load of the busiest device
  double busy_devices = 0;         ///< load of all devices
  double largest_on_device = 0;    ///< largest load of an element on a device
  std::uint64_t devices = 0;       ///< devices all of whose PEs are in the subtree
  std::uint64_t elements = 0;      ///< elements whose classes can migrate
  std::uint64_t unmeasured = 0;    ///< elements without a load: none of their steps has ended
  std::uint64_t unmovable = 0;     ///< elements that could not leave at the end of the period
  std::uint64_t with_points = 0;   ///< elements that are expected to pass balance points
  std::uint64_t arrivals = 0;      ///< elements that arrived from other PEs
  std::uint64_t bytes = 0;         ///< bytes of the elements that the last step moves
  std::uint64_t fixed = 0;         ///< elements whose classes cannot migrate, such as those of groups
  std::vector<device_part> parts;  ///< other devices of the subtree, by their numbers

  void add(const period_report& from);
  void add_device(const device_part& part);
  void serialize(auto& ar) {
    ar(unmeasured, busiest, busy, largest, duration, own, other, error_steady, error_moving, busiest_device,
       busy_devices, largest_on_device, devices, elements, unmovable, with_points, arrivals, bytes, fixed,
       parts);
  }
};

/// The elements of one array on a PE.
struct array_loads {
  std::uint64_t array = 0;
  std::vector<std::uint64_t> keys;
  std::vector<float> loads;           ///< expected in the next period
  std::vector<std::uint8_t> movable;  ///< 0: it cannot leave now
  std::vector<float> measured;        ///< in the last period; empty unless the run is recorded
  // Empty on a PE without a device.
  std::vector<float> device_loads;          ///< expected in the next period
  std::vector<float> device_elapsed;        ///< as `problem::device_elapsed`, in the last period
  std::vector<std::uint64_t> device_bytes;  ///< bytes of device memory
  // Empty unless the strategy wants them, or the run is recorded.
  std::vector<sent_amount> sent;  ///< in the last period

  void serialize(auto& ar) {
    ar(array, keys, loads, movable, measured, device_loads, device_elapsed, device_bytes, sent);
  }
};

/// The bytes that an element sends to another one in a period, as far as they were sampled.
struct edge_load {
  std::uint64_t array = 0, key = 0, to_array = 0, to_key = 0;
  float bytes = 0;

  void serialize(auto& ar) { ar(array, key, to_array, to_key, bytes); }
};

/// The elements of a PE.
struct pe_loads {
  std::int32_t pe = 0;
  float other = 0;                ///< load that no element has, or elements that cannot migrate
  std::int32_t device = -1;       ///< as `balanced_device::number`
  std::uint64_t free_memory = 0;  ///< bytes of the device
  std::vector<array_loads> arrays;
  std::vector<edge_load> edges;  ///< the messages that this PE sends; empty unless they are sampled
  std::string complaint;         ///< a load that makes no sense; empty if there is none

  void serialize(auto& ar) { ar(pe, other, device, free_memory, arrays, edges, complaint); }
};

/// An element with what a balancer knows of it.
struct posed_object {
  std::uint64_t array = 0, key = 0;
  std::uint64_t device_bytes = 0;
  std::int32_t pe = 0;
  float load = 0;
  float device_load = 0;
  float device_elapsed = 0;
  float measured = 0;  ///< 0 unless the run is recorded
  sent_amount sent;    ///< 0 unless the strategy wants it, or the run is recorded
  bool is_movable = true;

  void serialize(auto& ar) {
    ar(array, key, device_bytes, pe, load, device_load, device_elapsed, measured, sent, is_movable);
  }
};

/// Moves of elements of one array.
struct array_moves {
  std::uint64_t array = 0;
  std::vector<std::uint64_t> keys;
  std::vector<std::int32_t> from, to;

  void serialize(auto& ar) { ar(array, keys, from, to); }
};

/// The settings of periods.
struct period_rules {
  std::uint64_t points = 1;   ///< balance points that each element passes in a period
  double least_time = 0;      ///< seconds of a period, where elements pass none
  bool is_timed = false;      ///< all periods have that time
  bool sends_loads = false;   ///< the loads of elements come with the reports
  bool extrapolates = false;  ///< loads go on to change as they did
  bool in_groups = false;     ///< the first PE of each group keeps the loads of its group

  bool operator==(const period_rules&) const = default;
  void serialize(auto& ar) { ar(points, least_time, is_timed, sends_loads, extrapolates, in_groups); }
};

/// The settings that the options of a run begin with.
period_rules rules_of(const options& settings);

}  // namespace imbrex::balance::detail
