// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/device/model.hpp>

namespace imbrex {

class node_links;
class simulated_time;

/// A mistake that an emulated device can be told to make, so that tests show that they would see it.
enum class emulation_defect : std::uint8_t {
  none,
  early_event,          ///< an event is done when it is recorded
  copy_jumps_queue,     ///< a copy does not wait for what is before it in its stream
  lost_notice,          ///< every third host function is not called
  ignored_wait,         ///< a stream does not wait for events
  ignored_priority,     ///< kernels start in the order in which they become ready
  ignored_graph_order,  ///< operations of a graph do not wait for each other
};

/// How emulated devices are to be.
struct emulated_options {
  int devices = 1;
  device_model model{};  ///< of each of them
  /// Run in this time, by one thread and no other; null: in real time, by threads of their own. It must
  /// outlive the devices, and serves one set of them.
  simulated_time* time = nullptr;
  /// The links of a model that has some, which others use, too; they must outlive the devices. Null: the
  /// devices have their own.
  node_links* links = nullptr;
  /// False: device memory is only counted, kernels and copies take their time and do nothing. For problems
  /// that would not fit into this machine.
  bool data = true;
  /// Threads that run kernels' host functions, in real time; 0: one for each processor of the machine, but no
  /// more than kernels may run at once. There are three more: for copies, for host functions, for the time.
  int workers = 0;
  emulation_defect defect = emulation_defect::none;
};

}  // namespace imbrex
