// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device/model.hpp>

namespace imbrex {

class node_links;
class simulated_time;

/// A defect that an emulated device can have, to test that the checks find it.
enum class emulation_defect : std::uint8_t {
  none,
  early_event,          ///< an event is done when it is recorded
  copy_jumps_queue,     ///< a copy does not wait for what is before it in its stream
  lost_callback,        ///< every third host function is not called
  ignored_wait,         ///< a stream does not wait for events
  ignored_priority,     ///< kernels start in the order in which they become ready
  ignored_graph_order,  ///< operations of a graph do not wait for each other
};

/// The settings of emulated devices.
struct emulated_options {
  int devices = 1;
  device_model model{};  ///< model of each device
  /// Simulated time, in which the devices run, with one thread only. Null: real time, with threads of their
  /// own. It must outlive the devices, and serves one set of them.
  simulated_time* time = nullptr;
  /// Links of the model that are shared with others; they must outlive the devices. Null: the devices have
  /// their own.
  node_links* links = nullptr;
  /// False: device memory is only counted, and kernels and copies only take their time. For problems that do
  /// not fit into this machine.
  bool data = true;
  /// Threads that run kernels' host functions, in real time. 0: one for each processor of the machine, but no
  /// more than kernels may run at once. There are three more: for copies, for host functions, for the time.
  int workers = 0;
  emulation_defect defect = emulation_defect::none;
};

}  // namespace imbrex
