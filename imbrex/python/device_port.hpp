// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <imbrex/python/port.hpp>

namespace imbrex::python {

// Operations of channels of device arrays (imbrex.DeviceChannel).

/// Exports an array to the other end. The returned awaitable completes once the array has been read.
nb::object export_array(port& from, PyObject* array);
/// Returns an awaitable of the next array that the other end exports. With `into` None, the result is a copy
/// on this PE's device. Otherwise `into` is a device array that receives the contents and is the result.
nb::object receive_array(const std::shared_ptr<port>& at, PyObject* into);

}  // namespace imbrex::python
