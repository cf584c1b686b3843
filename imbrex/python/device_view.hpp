// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <imbrex/device/device_span.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/python/interpreter.hpp>

namespace imbrex::python {

/// What elements an array has, and how they lie: in rows, without gaps.
struct array_form {
  int type = 0;  ///< the number that NumPy gives it
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

/// An array in the memory of this PE's device, whoever owns it.
struct device_view {
  array_form form;
  void* address = nullptr;
  bool is_read_only = false;
  nb::object owner;                      ///< keeps the memory
  std::optional<native_stream> writers;  ///< whose later operations may change it, as far as that is known

  device_span<std::byte> span() const;
};

/// What an object shows by `__dlpack__` or `__cuda_array_interface__`; none if it shows no memory of a
/// device. `order` waits for what its library still does with it. Throws nb::type_error or imbrex::error for
/// what is not in rows, not of numbers that NumPy knows, or not on this PE's device.
std::optional<device_view> view_of(PyObject* o, stream& order);

/// Throws imbrex::error unless that array lies on this PE's device: `what` names it.
void check_on_gpu(const device_info& its, const std::string& what);

/// The handle of a stream of CuPy, PyTorch, Numba or an int. Throws nb::python_error for anything else.
native_stream native_stream_of(PyObject* stream);

}  // namespace imbrex::python
