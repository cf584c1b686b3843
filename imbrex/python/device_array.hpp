// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <imbrex/device/attachment.hpp>
#include <imbrex/python/codec.hpp>
#include <imbrex/python/device_view.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// An array that owns its memory on a device.
struct device_array {
  array_form form;
  detail::attachment memory;  ///< empty if there are no elements
  bool is_moved_from = false;
  bool was_shown = false;  ///< other libraries may use it on unknown streams
  bool has_order = false;  ///< `ready_after` was called after the last `show`
  int shown = 0;           ///< number of DLPack tensors of this memory that still exist

  /// Throws imbrex::error if the array was moved from, or is on another device than this PE's.
  void check() const;
  /// Notes that another library gets access to the memory.
  void show() {
    was_shown = true;
    has_order = false;
  }
  /// Makes the stream wait for the operations that are known to fill the array. If other libraries have been
  /// shown the array without a later `ready_after`, blocks until their work on the device is done.
  void order(stream& work) const;
};

/// The Python object imbrex.DeviceArray.
struct device_array_object {
  PyObject ob_base;
  device_array its;

  static inline PyTypeObject* type = nullptr;
  /// Defines the type, and the functions that make and await device arrays.
  static void define(nb::module_& m);
};

inline bool is_device_array(PyObject* o) { return Py_TYPE(o) == device_array_object::type; }

/// View of an imbrex.DeviceArray, or of another library's array (`view_of`); nullopt if `o` is not a device
/// array.
std::optional<device_view> any_view_of(PyObject* o, stream& order);
/// Marks the contents of an imbrex.DeviceArray as ready after the stream's current work. Does nothing for
/// other objects.
void fill_after(PyObject* o, stream& work);

/// Keeps a Python object until the work now in the stream is done.
void keep_until_done(nb::object what, stream& work);

/// Writes a copy of a device array. False if the object is not a device array.
bool encode_device_array(encoder& out, PyObject* o);
/// Writes an imbrex.DeviceArray and takes its memory.
void encode_moved_array(encoder& out, PyObject* o);
/// Writes the tag and the form; the caller adds the elements.
void encode_form(encoder& out, const array_form& form);

// Read after the tag.
array_form decode_form(decoder& in);
/// Reads an array onto this PE's device; its contents may still be in transfer.
nb::object decode_device_array(decoder& in);

}  // namespace imbrex::python
