// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <imbrex/device/device_part.hpp>
#include <imbrex/python/codec.hpp>
#include <imbrex/python/device_view.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// An array in the memory of a device, which it owns.
struct device_array {
  array_form form;
  detail::device_part memory;  ///< of nothing if it has no elements
  bool is_given_away = false;
  bool was_shown = false;  ///< so others may work on it by streams that nobody here knows
  bool has_order = false;  ///< since others have been shown it, `ready_after` has said what they do
  int shown = 0;           ///< how many others have been shown the memory by DLPack, and have it yet

  /// Throws imbrex::error if it was given away, or is on another device than this PE's.
  void check() const;
  /// Others are shown it.
  void show() {
    was_shown = true;
    has_order = false;
  }
  /// The stream waits for what is known to fill it. Returns when what libraries do on the device is done, if
  /// they have been shown it and nobody has said what of that it is to wait for.
  void order(stream& work) const;
};

/// The object of Python: imbrex.DeviceArray.
struct device_array_object {
  PyObject ob_base;
  device_array its;

  static inline PyTypeObject* type = nullptr;
  /// With the functions that make and await arrays.
  static void define(nb::module_& m);
};

inline bool is_device_array(PyObject* o) { return Py_TYPE(o) == device_array_object::type; }

/// That of an imbrex.DeviceArray, or what `view_of` says; none if it is no array of a device.
std::optional<device_view> any_view_of(PyObject* o, stream& order);
/// Says of that object, if it is an imbrex.DeviceArray, that its contents are there after the stream.
void fill_after(PyObject* o, stream& work);

/// Keeps an object of Python until the stream has done what it was given so far.
void keep_until_done(nb::object what, stream& work);

/// Writes a copy of an array of a device. False if the object is none.
bool encode_device_array(encoder& out, PyObject* o);
/// Writes an imbrex.DeviceArray, whose memory goes along.
void encode_given_array(encoder& out, PyObject* o);
/// With its tag. Its elements are to be added.
void encode_form(encoder& out, const array_form& form);

// What follows the tag.
array_form decode_form(decoder& in);
/// On this PE's device: its contents are on their way.
nb::object decode_device_array(decoder& in);

}  // namespace imbrex::python
