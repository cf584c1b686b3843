// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/device_view.hpp>

#include <cstdint>
#include <string>
#include <utility>

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <imbrex/base/error.hpp>
#include <imbrex/core/extension/device.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/python/dlpack.hpp>
#include <imbrex/python/numpy.hpp>

namespace imbrex::python {

std::size_t array_form::elements() const {
  std::size_t all = 1;
  for (const Py_ssize_t extent : shape) all *= static_cast<std::size_t>(extent);
  return all;
}

void array_form::check() const {
  std::size_t bytes = element_size;
  bool fits = true, has_elements = true;
  for (const Py_ssize_t extent : shape) {
    if (extent < 0) throw nb::value_error(("a device array " + text() + " of a negative extent").c_str());
    has_elements &= extent != 0;
    if (has_elements && fits) fits = !__builtin_mul_overflow(bytes, static_cast<std::size_t>(extent), &bytes);
  }
  if (has_elements && (!fits || bytes > static_cast<std::size_t>(PTRDIFF_MAX)))
    throw nb::value_error(
        ("a device array " + text() + " has more bytes than an address space: give another shape").c_str());
}

std::string array_form::text() const {
  std::string all = nb::str(numpy::dtype_of(type)).c_str();
  all += " (";
  for (std::size_t d = 0; d < shape.size(); ++d) all += (d > 0 ? ", " : "") + std::to_string(shape[d]);
  return all + (shape.size() == 1 ? ",)" : ")");
}

device_span<std::byte> device_view::span() const {
  return {static_cast<std::byte*>(address), form.bytes(), gpu().info().id};
}

void check_on_gpu(const device_info& its, const std::string& what) {
  const device_info& here = gpu().info();
  if (its.id != here.id)
    throw error(what + " is on " + its.label() + ", but PE " +
                std::to_string(extension::current_pe().number()) + " uses " + here.label() +
                "; copy it there before, or through the host");
}

namespace {

std::string address_text(const void* address) {
  return nb::str(checked(PyUnicode_FromFormat("%p", address))).c_str();
}

/// Throws unless the whole array lies in one allocation of this PE's device; `shower` is the object that
/// shows it.
void check_memory(const device_view& v, PyObject* shower) {
  if (v.form.bytes() == 0) return;
  const std::string what = "the array " + v.form.text() + " at " + address_text(v.address) + ", which a " +
                           Py_TYPE(shower)->tp_name + " shows,";
  for (const auto& each : extension::devices_of_run()) {
    const auto found = each->backend().allocation_at(v.address);
    if (!found) continue;
    check_on_gpu(each->info(), what);
    const std::size_t behind =
        found->bytes - static_cast<std::size_t>(static_cast<const std::byte*>(v.address) - found->first);
    if (v.form.bytes() <= behind) return;
    throw error(what + " has " + std::to_string(v.form.bytes()) + " bytes, but the memory there ends after " +
                std::to_string(behind));
  }
  throw error(what + " is in no memory of the run's devices: it was freed, or is of a device that the run " +
              "does not use");
}

/// Throws unless the strides, in bytes, are those of C order without gaps.
void check_rows(const array_form& form, const std::vector<std::int64_t>& strides) {
  if (form.elements() == 0) return;
  auto expected = static_cast<std::int64_t>(form.element_size);
  bool fits = strides.size() == form.shape.size();
  for (std::size_t d = form.shape.size(); fits && d-- > 0;) {
    fits = form.shape[d] <= 1 || strides[d] == expected;
    expected *= form.shape[d];
  }
  if (!fits)
    throw nb::value_error(
        ("a device array " + form.text() +
         " whose elements do not lie in rows without gaps; make a copy that does, as by ascontiguousarray")
            .c_str());
}

nb::object optional_attribute(PyObject* o, const char* name) {
  PyObject* found = PyObject_GetAttrString(o, name);
  if (found == nullptr) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) throw nb::python_error();
    PyErr_Clear();
  }
  return nb::steal(found);
}

/// True if the class has the attribute. Raises no exception if not, which keeps the lookup cheap.
bool has(PyTypeObject* type, PyObject* name) { return _PyType_Lookup(type, name) != nullptr; }

nb::object required(const nb::object& from, const char* name) {
  PyObject* const found = PyDict_Check(from.ptr()) != 0 ? PyDict_GetItemString(from.ptr(), name) : nullptr;
  if (found == nullptr)
    throw nb::type_error((std::string("a __cuda_array_interface__ without ") + name).c_str());
  return nb::borrow(found);
}

array_form form_by_name(const nb::object& type, const nb::object& shape) {
  array_form form;
  form.type = numpy::plain_type_of(type.ptr());
  if (form.type < 0)
    throw nb::type_error(
        (std::string("a device array of elements ") + nb::repr(type).c_str() +
         ": they must be numbers of NumPy, in this machine's byte order, and no long doubles")
            .c_str());
  form.element_size = numpy::element_size(form.type);
  form.shape = nb::cast<std::vector<Py_ssize_t>>(shape);
  form.check();
  return form;
}

bool names_stream(const nb::object& interface) {
  PyObject* const stream =
      PyDict_Check(interface.ptr()) != 0 ? PyDict_GetItemString(interface.ptr(), "stream") : nullptr;
  return stream != nullptr && stream != Py_None;
}

device_view view_by_interface(PyObject* o, const nb::object& interface, stream& order) {
  device_view v;
  v.owner = nb::borrow(o);
  v.form = form_by_name(required(interface, "typestr"), required(interface, "shape"));
  const auto [address, is_read_only] = nb::cast<std::pair<std::uintptr_t, bool>>(required(interface, "data"));
  v.address = reinterpret_cast<void*>(address);
  v.is_read_only = is_read_only;
  PyObject* const strides = PyDict_GetItemString(interface.ptr(), "strides");
  if (strides != nullptr && strides != Py_None)
    check_rows(v.form, nb::cast<std::vector<std::int64_t>>(nb::handle(strides)));
  PyObject* const mask = PyDict_GetItemString(interface.ptr(), "mask");
  if (mask != nullptr && mask != Py_None) throw nb::type_error("a device array with a mask cannot be sent");
  check_memory(v, o);
  if (names_stream(interface)) {
    v.writers = native_stream_of(PyDict_GetItemString(interface.ptr(), "stream"));
    order.wait(*v.writers);
  }
  return v;
}

std::string type_name(const nb::dlpack::dtype& type) {
  using code = nb::dlpack::dtype_code;
  if (type.lanes != 1) return "";
  switch (static_cast<code>(type.code)) {
    case code::Int: return "int" + std::to_string(type.bits);
    case code::UInt: return "uint" + std::to_string(type.bits);
    case code::Float: return "float" + std::to_string(type.bits);
    case code::Complex: return "complex" + std::to_string(type.bits);
    case code::Bool: return "bool";
    default: return "";
  }
}

/// The DLPack capsule of `o`. Version 1 is requested first, since it says whether the array is read-only.
nb::object capsule_of(PyObject* o, stream& order) {
  const nb::object exchange = checked(PyObject_GetAttrString(o, "__dlpack__"));
  const auto handle = reinterpret_cast<std::intptr_t>(order.native().handle);
  try {
    return exchange(nb::arg("stream") = handle, nb::arg("max_version") = nb::make_tuple(1, 0));
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
    return exchange(nb::arg("stream") = handle);  // the library has no version 1
  }
}

device_view view_by_dlpack(PyObject* o, stream& order) {
  const nb::object capsule = capsule_of(o, order);
  const bool has_version = PyCapsule_IsValid(capsule.ptr(), dlpack_versioned_fresh) != 0;
  void* const managed =
      PyCapsule_GetPointer(capsule.ptr(), has_version ? dlpack_versioned_fresh : dlpack_fresh);
  if (managed == nullptr) throw nb::python_error();
  const auto& tensor = has_version ? static_cast<dlpack_versioned*>(managed)->tensor
                                   : static_cast<dlpack_managed*>(managed)->tensor;
  const std::string name = type_name(tensor.dtype);
  if (name.empty())
    throw nb::type_error(
        "a device array of elements that NumPy does not know; give a view of it as integers");
  device_view v;
  v.is_read_only =
      has_version && (static_cast<dlpack_versioned*>(managed)->flags & dlpack_versioned::read_only) != 0;
  v.owner = capsule;
  const auto extents = static_cast<std::size_t>(tensor.ndim);
  const nb::object shape = nb::cast(std::vector<std::int64_t>(tensor.shape, tensor.shape + extents));
  v.form = form_by_name(nb::str(name.c_str()), shape);
  v.address = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  if (tensor.strides != nullptr) {
    std::vector<std::int64_t> strides(tensor.strides, tensor.strides + extents);
    for (auto& s : strides) s *= static_cast<std::int64_t>(v.form.element_size);
    check_rows(v.form, strides);
  }
  check_memory(v, o);
  static module_attribute current_stream("imbrex._device", "current_stream");
  const nb::object writers = checked(PyObject_CallOneArg(current_stream, o));
  if (!writers.is_none()) v.writers = native_stream_of(writers.ptr());
  return v;
}

}  // namespace

std::optional<device_view> view_of(PyObject* o, stream& order) {
  static kept_object kept_device, kept_interface;
  PyObject* const dlpack_device =
      kept_device.get([] { return PyUnicode_InternFromString("__dlpack_device__"); });
  PyObject* const interface_name =
      kept_interface.get([] { return PyUnicode_InternFromString("__cuda_array_interface__"); });
  const bool has_dlpack = has(Py_TYPE(o), dlpack_device);
  if (has_dlpack) {
    const nb::object where = checked(PyObject_CallMethodNoArgs(o, dlpack_device));
    const int kind = nb::cast<std::pair<int, int>>(where).first;
    if (kind != nb::device::cuda::value && kind != nb::device::rocm::value) return std::nullopt;
  }
  nb::object interface;
  if (has(Py_TYPE(o), interface_name)) interface = optional_attribute(o, "__cuda_array_interface__");
  // Prefer the interface if it names the library's current stream.
  if (has_dlpack && !(interface.is_valid() && names_stream(interface))) return view_by_dlpack(o, order);
  if (!interface.is_valid()) return std::nullopt;
  return view_by_interface(o, interface, order);
}

native_stream native_stream_of(PyObject* stream) {
  static module_attribute handle_of("imbrex._device", "handle_of");
  const nb::object handle = checked(PyObject_CallOneArg(handle_of, stream));
  void* const address = PyLong_AsVoidPtr(handle.ptr());
  if (address == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
  return {address};
}

}  // namespace imbrex::python
