// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <imbrex/device/backend.hpp>

namespace imbrex {

/// A PE for which `options::choose_device` chooses a device, and what it can choose from.
struct device_choice {
  int pe = 0;                            ///< its number in the job
  int place_in_process = 0;              ///< how many PEs of its process come before it
  int process_pes = 1;                   ///< PEs of its process
  int place_on_host = 0;                 ///< how many PEs of its host come before it
  int host_pes = 1;                      ///< PEs of all processes on its host
  std::span<const device_info> devices;  ///< of its process; other processes of the host may use the same
};

}  // namespace imbrex
