// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <imbrex/device/device_span.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// Element type and shape of an array whose elements lie in C order without gaps.
struct array_form {
  int type = 0;  ///< NumPy's type number
  std::size_t element_size = 1;
  std::vector<Py_ssize_t> shape;

  /// Throws nb::value_error for a negative extent, or more bytes than there can be.
  void check() const;
  std::size_t elements() const;
  std::size_t bytes() const { return elements() * element_size; }
  /// "float64 (3, 4)"
  std::string text() const;
  bool operator==(const array_form&) const = default;
};

/// An array in the memory of this PE's device, with any owner.
struct device_view {
  array_form form;
  void* address = nullptr;
  bool is_read_only = false;
  nb::object owner;                      ///< keeps the memory alive
  std::optional<native_stream> writers;  ///< stream that may write to the array later, if known

  device_span<std::byte> span() const;
};

/// View of an object that has `__dlpack__` or `__cuda_array_interface__`; nullopt if its memory is not a
/// device's. `order` waits for work that the object's library has submitted on the array. Throws
/// nb::type_error, nb::value_error or imbrex::error if the array is not contiguous, has no NumPy numbers, or
/// is not on this PE's device.
std::optional<device_view> view_of(PyObject* o, stream& order);

/// Throws imbrex::error unless device `its` is this PE's device; `what` names the array in the error.
void check_on_gpu(const device_info& its, const std::string& what);

/// The handle of a stream: an object of CuPy, PyTorch or Numba, or an int. Throws nb::python_error for
/// anything else.
native_stream native_stream_of(PyObject* stream);

}  // namespace imbrex::python
