// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/values.hpp>

#include <memory>
#include <string_view>

#include <imbrex/python/device_array.hpp>
#include <imbrex/python/names_of_pickle.hpp>
#include <imbrex/python/numpy.hpp>
#include <imbrex/python/proxy.hpp>

namespace imbrex::python {

namespace {

constexpr std::size_t shortest_buffer_beside = 1024;

void encode_bytes(encoder& out, tag kind, const char* bytes, Py_ssize_t size) {
  out.number(kind);
  out.number(static_cast<std::uint64_t>(size));
  out.raw(bytes, static_cast<std::size_t>(size));
}

std::string_view decode_bytes(decoder& in) {
  const auto size = in.number<std::uint64_t>();
  return {reinterpret_cast<const char*>(in.raw(size)), size};
}

/// Copies the buffer, since its owner may write to it later.
bytes_block copy_of(PyObject* pickle_buffer) {
  Py_buffer view;
  if (PyObject_GetBuffer(pickle_buffer, &view, PyBUF_ANY_CONTIGUOUS) < 0) throw nb::python_error();
  bytes_block b(static_cast<std::size_t>(view.len));
  std::memcpy(b.data(), view.buf, b.size());
  PyBuffer_Release(&view);
  return b;
}

/// The buffer itself, for a block that ends before its owner does anything.
bytes_block view_of(PyObject* pickle_buffer) {
  auto view = std::make_unique<Py_buffer>();
  if (PyObject_GetBuffer(pickle_buffer, view.get(), PyBUF_ANY_CONTIGUOUS) < 0) throw nb::python_error();
  auto* const first = static_cast<std::byte*>(view->buf);
  const auto size = static_cast<std::size_t>(view->len);
  const auto release = [held = view.release()](std::byte*) {
    PyBuffer_Release(held);
    delete held;
  };
  return {std::shared_ptr<std::byte>(first, release), size};
}

}  // namespace

void encode_by_pickle(encoder& out, PyObject* o) {
  static kept_object kept_names, kept_five;
  PyObject* const names = kept_names.get([] { return Py_BuildValue("(ss)", "protocol", "buffer_callback"); });
  PyObject* const five = kept_five.get([] { return PyLong_FromLong(5); });
  const nb::object buffers = checked(PyList_New(0));
  const nb::object append = checked(PyObject_GetAttrString(buffers.ptr(), "append"));
  PyObject* const arguments[] = {o, five, append.ptr()};
  const names_of_pickle use(out.names());
  static module_attribute dumps_to_send("imbrex._pickling", "dumps");
  static module_attribute dumps_to_save("imbrex._saving", "dumps");
  PyObject* const dumps = out.names() == nullptr ? dumps_to_send : dumps_to_save;
  const nb::object bytes = checked(PyObject_Vectorcall(dumps, arguments, 1, names));
  encode_bytes(out, tag::pickled, PyBytes_AS_STRING(bytes.ptr()), PyBytes_GET_SIZE(bytes.ptr()));
  const Py_ssize_t count = PyList_GET_SIZE(buffers.ptr());
  out.number(static_cast<std::uint32_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* const buffer = PyList_GET_ITEM(buffers.ptr(), i);
    bytes_block b = out.names() == nullptr ? copy_of(buffer) : view_of(buffer);
    const bool is_beside = b.size() >= shortest_buffer_beside;
    out.number(static_cast<std::uint64_t>(is_beside ? 0 : b.size() + 1));
    is_beside ? out.add(std::move(b)) : out.raw(b.data(), b.size());
  }
}

namespace {

nb::object writable_copy(const std::byte* first, std::size_t size) {
  return checked(
      PyByteArray_FromStringAndSize(reinterpret_cast<const char*>(first), static_cast<Py_ssize_t>(size)));
}

}  // namespace

nb::object decode_pickled(decoder& in) {
  static module_attribute loads("pickle", "loads");
  const names_of_pickle use(in.names());
  const auto bytes = decode_bytes(in);
  const auto count = in.number<std::uint32_t>();
  const nb::object view = checked(PyMemoryView_FromMemory(const_cast<char*>(bytes.data()),
                                                          static_cast<Py_ssize_t>(bytes.size()), PyBUF_READ));
  if (count == 0) return checked(PyObject_CallOneArg(loads, view.ptr()));
  nb::object buffers = checked(PyList_New(0));
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto inside = in.number<std::uint64_t>();
    nb::object b;
    if (inside == 0) {
      const auto& beside = in.next_block();
      b = writable_copy(beside.data(), beside.size());
    } else {
      b = writable_copy(in.raw(inside - 1), inside - 1);
    }
    if (PyList_Append(buffers.ptr(), b.ptr()) < 0) throw nb::python_error();
  }
  static kept_object kept_names;
  PyObject* const names = kept_names.get([] { return Py_BuildValue("(s)", "buffers"); });
  PyObject* const arguments[] = {view.ptr(), buffers.ptr()};
  return checked(PyObject_Vectorcall(loads, arguments, 1, names));
}

namespace {

/// False if the int does not fit 64 bits.
bool encode_integer(encoder& out, PyObject* o) {
  int overflow = 0;
  const long long n = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow != 0) return false;
  out.number(tag::integer);
  out.number(static_cast<std::int64_t>(n));
  return true;
}

/// False if the text cannot be encoded as UTF-8, for example because of lone surrogates.
bool encode_text(encoder& out, PyObject* o) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(o, &size);
  if (text == nullptr) {
    PyErr_Clear();
    return false;
  }
  encode_bytes(out, tag::text, text, size);
  return true;
}

void encode_tuple(encoder& out, PyObject* o) {
  if (Py_EnterRecursiveCall(" while a tuple is sent") != 0) throw nb::python_error();
  struct leave {
    ~leave() { Py_LeaveRecursiveCall(); }
  } const at_end;
  const Py_ssize_t size = PyTuple_GET_SIZE(o);
  out.number(tag::tuple);
  out.number(static_cast<std::uint32_t>(size));
  for (Py_ssize_t i = 0; i < size; ++i) encode(out, PyTuple_GET_ITEM(o, i));
}

nb::object decode_tuple(decoder& in) {
  const auto size = in.number<std::uint32_t>();
  nb::object all = checked(PyTuple_New(static_cast<Py_ssize_t>(size)));
  for (std::uint32_t i = 0; i < size; ++i)
    PyTuple_SET_ITEM(all.ptr(), static_cast<Py_ssize_t>(i), decode(in).release().ptr());
  return all;
}

}  // namespace

void encode(encoder& out, PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  if (o == Py_None) return out.number(tag::none);
  if (type == &PyLong_Type) {
    if (encode_integer(out, o)) return;
  } else if (type == &PyFloat_Type) {
    out.number(tag::real);
    return out.number(PyFloat_AS_DOUBLE(o));
  } else if (type == &PyBool_Type) {
    return out.number(o == Py_True ? tag::yes : tag::no);
  } else if (type == &PyUnicode_Type) {
    if (encode_text(out, o)) return;
  } else if (type == &PyTuple_Type) {
    return encode_tuple(out, o);
  } else if (type == &PyBytes_Type) {
    return encode_bytes(out, tag::bytes, PyBytes_AS_STRING(o), PyBytes_GET_SIZE(o));
  } else if (type == proxy_object::type) {
    return encode_proxy(out, proxy_in(o));
  } else if (type == &PyComplex_Type) {
    out.number(tag::complex);
    return out.number(PyComplex_AsCComplex(o));
  } else if (type == moved_object::type) {
    PyObject* const value = reinterpret_cast<moved_object*>(o)->value;
    if (is_device_array(value)) return encode_moved_array(out, value);
    if (!numpy::is_array(value) || !numpy::encode_array(out, value, true)) encode(out, value);
    return numpy::make_read_only(value);
  } else if (numpy::is_array(o)) {
    if (numpy::encode_array(out, o, false)) return;
  } else if (numpy::is_scalar(o)) {
    if (numpy::encode_scalar(out, o)) return;
  } else if (encode_device_array(out, o)) {
    return;
  }
  encode_by_pickle(out, o);
}

nb::object decode(decoder& in) {
  switch (in.number<tag>()) {
    case tag::none: return nb::none();
    case tag::no: return nb::borrow(Py_False);
    case tag::yes: return nb::borrow(Py_True);
    case tag::integer: return checked(PyLong_FromLongLong(in.number<std::int64_t>()));
    case tag::real: return checked(PyFloat_FromDouble(in.number<double>()));
    case tag::complex: return checked(PyComplex_FromCComplex(in.number<Py_complex>()));
    case tag::text: {
      const auto text = decode_bytes(in);
      return checked(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
    }
    case tag::bytes: {
      const auto bytes = decode_bytes(in);
      return checked(PyBytes_FromStringAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
    }
    case tag::tuple: return decode_tuple(in);
    case tag::array: return numpy::decode_array(in);
    case tag::array_beside: return numpy::decode_array_beside(in);
    case tag::scalar: return numpy::decode_scalar(in);
    case tag::proxy: return decode_proxy(in);
    case tag::pickled: return decode_pickled(in);
    case tag::device_array: return decode_device_array(in);
    case tag::arguments: break;
  }
  throw nb::value_error("a value of Python that came has no known form");
}

parcel parcel_of(PyObject* o) {
  encoder out;
  encode(out, o);
  return out.take();
}

loaded_parcel loaded_parcel_of(PyObject* o) {
  encoder out;
  encode(out, o);
  return out.take_loaded();
}

namespace {

void destroy_moved_object(PyObject* o) {
  Py_XDECREF(reinterpret_cast<moved_object*>(o)->value);
  PyTypeObject* const type = Py_TYPE(o);
  PyObject_Free(o);
  Py_DECREF(type);
}

}  // namespace

void moved_object::define(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&destroy_moved_object)},
                                {0, nullptr}};
  static PyType_Spec spec{"imbrex._core.Given", sizeof(moved_object), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release().ptr());
  m.attr("Given") = nb::borrow(reinterpret_cast<PyObject*>(type));
  m.def(
      "give",
      [](nb::object value) {
        auto* const o = PyObject_New(moved_object, type);
        if (o == nullptr) throw nb::python_error();
        o->value = value.release().ptr();
        return nb::steal(reinterpret_cast<PyObject*>(o));
      },
      nb::arg("value").none());
}

}  // namespace imbrex::python
