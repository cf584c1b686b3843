// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include <imbrex/python/port.hpp>

namespace imbrex::python {

// What channels of device arrays do (imbrex.DeviceChannel).

/// Lends an array to the other end. Returns what can be awaited: that it has been read.
nb::object lend_array(port& from, PyObject* array);
/// Awaits the next array that is lent here: a copy of its own on this PE's device, or, if `into` is an array
/// of a device, that one, which then has its contents. `into` is None otherwise.
nb::object receive_array(const std::shared_ptr<port>& at, PyObject* into);

}  // namespace imbrex::python
