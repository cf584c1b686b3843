// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/proxy.hpp>

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include <imbrex/core/extension/index.hpp>
#include <imbrex/serial/reader.hpp>
#include <imbrex/serial/writer.hpp>

namespace imbrex::python {

nb::object new_proxy(proxy p) {
  auto* const o = PyObject_New(proxy_object, proxy_object::type);
  if (o == nullptr) throw nb::python_error();
  ::new (&o->its) proxy(std::move(p));
  return nb::steal(reinterpret_cast<PyObject*>(o));
}

namespace {

/// The part of a saved proxy without names.
struct form_of_proxy {
  proxy_kind kind = proxy_kind::element;
  std::int8_t priority = 0;
  bool is_coalesced = false;
  bool is_single = false;
  std::vector<int> extents{};  ///< empty if the array has keys
  std::string key{};
};

}  // namespace

std::vector<std::byte> saved_form(const proxy& p, extension::name_writer& names) {
  writer out;
  entry_name constructor = p.of->constructor().number;
  extension::archive_durably(names, constructor, out);
  out(form_of_proxy{
      p.kind, p.priority, p.is_coalesced, p.is_single, {p.extents().begin(), p.extents().end()}, p.key});
  names.write_collection(p.collection, out);
  if (p.kind == proxy_kind::section) names.write_section(p.collection, p.number, out);
  if (p.kind == proxy_kind::element && p.dimensions != 0) names.write_key(p.collection, p.number, out);
  return out.take();
}

proxy proxy_of_saved(std::span<const std::byte> bytes, extension::name_reader& names) {
  reader in(bytes);
  entry_name constructor;
  form_of_proxy form;
  extension::archive_durably(names, constructor, in);
  in(form);
  proxy p;
  if (form.extents.size() > p.shape.size()) throw nb::value_error("a saved proxy has too many dimensions");
  p.of = member_of(constructor).of;
  p.kind = form.kind;
  p.priority = form.priority;
  p.is_coalesced = form.is_coalesced;
  p.is_single = form.is_single;
  p.dimensions = static_cast<std::uint8_t>(form.extents.size());
  p.key = std::move(form.key);
  std::ranges::copy(form.extents, p.shape.begin());
  p.collection = names.read_collection(in);
  if (p.kind == proxy_kind::section) p.number = names.read_section(p.collection, in);
  if (p.kind == proxy_kind::element && p.dimensions != 0) p.number = names.read_key(p.collection, in);
  in.finish();
  const int size_of_group = names.size_of_group(p.collection);
  if (size_of_group >= 0) p.shape[0] = size_of_group;
  return p;
}

namespace {

void encode_saved(encoder& out, const proxy& p) {
  const auto bytes = saved_form(p, *out.names());
  out.number(static_cast<std::uint32_t>(bytes.size()));
  out.raw(bytes.data(), bytes.size());
}

nb::object decode_saved(decoder& in) {
  const auto size = in.number<std::uint32_t>();
  return new_proxy(proxy_of_saved({in.raw(size), size}, *in.names()));
}

}  // namespace

void encode_proxy(encoder& out, const proxy& p) {
  out.number(tag::proxy);
  if (out.names() != nullptr) [[unlikely]]
    return encode_saved(out, p);
  out.number(p.of->constructor().number.number);
  out.number(p.kind);
  out.number(p.dimensions);
  out.number(p.priority);
  out.number(static_cast<std::uint8_t>((p.is_coalesced ? 1 : 0) | (p.is_single ? 2 : 0)));
  out.number(p.collection);
  out.number(p.number);
  out.raw(p.shape.data(), sizeof(int) * p.dimensions);
  if (p.dimensions != 0) return;
  out.number(static_cast<std::uint32_t>(p.key.size()));
  out.raw(p.key.data(), p.key.size());
}

nb::object decode_proxy(decoder& in) {
  if (in.names() != nullptr) [[unlikely]]
    return decode_saved(in);
  proxy p;
  p.of = member_of(entry_name{in.number<std::uint32_t>()}).of;
  p.kind = in.number<proxy_kind>();
  p.dimensions = in.number<std::uint8_t>();
  if (p.dimensions > p.shape.size()) throw nb::value_error("a proxy that came has too many dimensions");
  p.priority = in.number<std::int8_t>();
  const auto flags = in.number<std::uint8_t>();
  p.is_coalesced = (flags & 1) != 0;
  p.is_single = (flags & 2) != 0;
  p.collection = in.number<std::uint64_t>();
  p.number = in.number<std::uint64_t>();
  std::memcpy(p.shape.data(), in.raw(sizeof(int) * p.dimensions), sizeof(int) * p.dimensions);
  if (p.dimensions == 0) {
    const auto size = in.number<std::uint32_t>();
    p.key.assign(reinterpret_cast<const char*>(in.raw(size)), size);
  }
  return new_proxy(std::move(p));
}

nb::object index_object(std::span<const int> index) {
  if (index.size() == 1) return checked(PyLong_FromLong(index[0]));
  nb::object all = checked(PyTuple_New(static_cast<Py_ssize_t>(index.size())));
  for (std::size_t d = 0; d < index.size(); ++d)
    PyTuple_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(d),
                     checked(PyLong_FromLong(index[d])).release().ptr());
  return all;
}

namespace {

[[noreturn]] void refuse_index(PyObject* o, const char* what) {
  PyErr_Clear();
  PyErr_Format(PyExc_TypeError, "%s is an int, or a tuple of 1 to 6 ints, not %R", what, o);
  throw nb::python_error();
}

/// Reads `o` as a 32-bit int; `whole` is the index or shape that contains it, for errors.
int read_int(PyObject* o, PyObject* whole, const char* what) {
  const nb::object number = nb::steal(PyNumber_Index(o));
  if (!number.is_valid()) refuse_index(whole, what);
  int overflow = 0;
  const long n = PyLong_AsLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0 || n != static_cast<int>(n)) {
    PyErr_Format(PyExc_IndexError, "%s is %R: each int must fit 32 bits", what, whole);
    throw nb::python_error();
  }
  return static_cast<int>(n);
}

}  // namespace

std::uint8_t read_index(PyObject* o, std::array<int, 6>& index, const char* what) {
  if (PyLong_Check(o) || PyIndex_Check(o)) {
    index[0] = read_int(o, o, what);
    return 1;
  }
  const Py_ssize_t dimensions = PyTuple_Check(o)  ? PyTuple_GET_SIZE(o)
                                : PyList_Check(o) ? PyList_GET_SIZE(o)
                                                  : 0;
  if (dimensions < 1 || dimensions > 6) refuse_index(o, what);
  for (Py_ssize_t d = 0; d < dimensions; ++d)
    index[static_cast<std::size_t>(d)] =
        read_int(PyTuple_Check(o) ? PyTuple_GET_ITEM(o, d) : PyList_GET_ITEM(o, d), o, what);
  return static_cast<std::uint8_t>(dimensions);
}

std::uint64_t linear_place(const class_record& of, std::span<const int> shape, std::span<const int> index) {
  bool fits = shape.size() == index.size();
  std::uint64_t place = 0;
  for (std::size_t d = 0; fits && d < shape.size(); ++d) {
    fits = index[d] >= 0 && index[d] < shape[d];
    place = place * static_cast<std::uint64_t>(shape[d]) + static_cast<std::uint64_t>(index[d]);
  }
  if (!fits)
    throw std::out_of_range("index " + index_text(index) + " is outside the array of " + of.name +
                            ", whose shape is " + index_text(shape));
  return place;
}

array_index index_at(std::span<const int> shape, std::uint64_t place) {
  return extension::from_linear(array_index(shape), place);
}

std::string element_text(const proxy& element) {
  if (element.dimensions == 0) return element.of->name + "(" + element.key + ")";
  if (element.is_single) return element.of->name;
  const std::string at = to_string(index_at(element.extents(), element.number));
  return element.of->name + (element.dimensions == 1 ? "(" + at + ")" : at);
}

}  // namespace imbrex::python
