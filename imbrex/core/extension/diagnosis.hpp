// SPDX-License-Identifier: Apache-2.0
#pragma once
// Facts about a host that tools find without a run, as a program with these settings would.

#include <imbrex/core/gpu/nearest_devices.hpp>
#include <imbrex/core/gpu/run_devices.hpp>
#include <imbrex/core/run/check_options.hpp>

namespace imbrex::extension {

/// `check_options(settings, processes)`: throws usage_error for settings that are impossible, or impossible
/// in a job of that many processes.
using detail::check_options;

/// The devices of one process that a run would use. Its constructor throws usage_error, and imbrex::error if
/// there is no such device.
using run_devices = detail::run_devices;
/// `hiding_variables()`: the environment variables by which launchers hide devices from a process.
using detail::hiding_variables;
/// `device_places(devices)`: the processors near each device; empty if its location is unknown.
using detail::device_places;
/// `why_network_takes_none(settings, devices)`: the reason why messages to other hosts do not carry memory of
/// these devices directly; empty if they do.
using detail::why_network_takes_none;

}  // namespace imbrex::extension
