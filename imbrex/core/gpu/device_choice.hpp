// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <imbrex/device/backend.hpp>

namespace imbrex {

/// A PE for which `options::choose_device` selects a device, and the devices to select from.
struct device_choice {
  int pe = 0;                            ///< number of the PE in the job
  int place_in_process = 0;              ///< number of PEs of its process before it
  int process_pes = 1;                   ///< PEs of its process
  int place_on_host = 0;                 ///< number of PEs of its host before it
  int host_pes = 1;                      ///< PEs of all processes on its host
  std::span<const device_info> devices;  ///< devices of its process; other processes may use them, too
};

}  // namespace imbrex
