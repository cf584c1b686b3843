// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/port_type.hpp>

#include <new>
#include <utility>

#include <imbrex/python/arguments.hpp>
#include <imbrex/python/array_kind.hpp>
#include <imbrex/python/awaitable.hpp>
#include <imbrex/python/device_port.hpp>
#include <imbrex/python/values.hpp>

namespace imbrex::python {

namespace {

port& of(PyObject* o) { return *reinterpret_cast<port_object*>(o)->its; }

void destroyed(PyObject* o) {
  reinterpret_cast<port_object*>(o)->its.~shared_ptr();
  PyTypeObject* const type = Py_TYPE(o);
  PyObject_Free(o);
  Py_DECREF(type);
}

constexpr auto to_python = [](loaded_parcel value) { return value_of(std::move(value)); };

/// The reference number in the arguments; 0 if there is no argument.
std::int64_t reference_in(PyObject* const* arguments, Py_ssize_t count) {
  if (count == 0) return 0;
  if (count > 1) throw nb::type_error("a mailbox receives by one reference number");
  const long long n = PyLong_AsLongLong(arguments[0]);
  if (n == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
  return n;
}

PyObject* receive(PyObject* self, PyObject* const* arguments, Py_ssize_t count) noexcept {
  try {
    port& p = of(self);
    PyObject* const name = p.of().awaited_name;
    if (p.of().kind == member_kind::device_channel) {
      if (count > 1) throw nb::type_error("a device channel receives one array: receive(), or receive(into)");
      return receive_array(reinterpret_cast<port_object*>(self)->its, count == 1 ? arguments[0] : Py_None)
          .release()
          .ptr();
    }
    if (p.of().kind == member_kind::channel) {
      if (count > 0)
        throw nb::type_error("a channel gives its values in their order: receive() has no arguments");
      return awaitable_of(p.receive_next(), to_python, name).release().ptr();
    }
    return awaitable_of(p.values().receive(reference_in(arguments, count)), to_python, name).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* receive_any(PyObject* self, PyObject* /*nothing*/) noexcept {
  try {
    if (of(self).of().is_channel())
      throw nb::type_error("a channel gives its values in their order: use receive()");
    return awaitable_of(of(self).values().receive_any(), to_python, of(self).of().awaited_name)
        .release()
        .ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* has(PyObject* self, PyObject* const* arguments, Py_ssize_t count) noexcept {
  try {
    return PyBool_FromLong(of(self).values().has(reference_in(arguments, count)) ? 1 : 0);
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* send(PyObject* self, PyObject* value) noexcept {
  try {
    port& p = of(self);
    if (p.of().kind == member_kind::device_channel) return export_array(p, value).release().ptr();
    if (p.of().kind != member_kind::channel)
      throw nb::type_error(("the chare itself does not send to its mailbox " + p.of().whole_name() +
                            " so: use a proxy, such as self.proxy." + p.of().name + ".send(value)")
                               .c_str());
    const proxy& to = p.other();
    encoder out;
    encode_value(out, p.of(), value);
    kind_of(to).put(to, p.port_there().number, p.next_to_send(), out);
    Py_RETURN_NONE;
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* connect(PyObject* self, PyObject* member) noexcept {
  try {
    port& p = of(self);
    if (!p.of().is_channel()) throw nb::type_error("only channels are connected");
    const auto [to, there] = end_of_channel(member);
    if (p.of().kind != there->kind)
      throw nb::type_error((p.of().whole_name() + " and " + there->whole_name() +
                            " are channels of different kinds: both ends are Channel, or both DeviceChannel")
                               .c_str());
    p.connect(to, *there);
    Py_RETURN_NONE;
  } catch (...) {
    return raise_current_exception();
  }
}

Py_ssize_t size(PyObject* self) { return static_cast<Py_ssize_t>(of(self).values().size()); }

PyMethodDef methods[] = {
    {"receive", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&receive)), METH_FASTCALL,
     "receive(reference=0): awaits the oldest value with that reference number; on a channel, the next "
     "value; on a device channel receive(into=None): the next array, or its contents in another."},
    {"receive_any", &receive_any, METH_NOARGS, "Awaits the oldest value of any reference number."},
    {"has", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&has)), METH_FASTCALL,
     "has(reference=0): True if receive(reference) would not wait."},
    {"send", &send, METH_O,
     "On a channel: sends a value to the other end. A device channel lends an array; await the result until "
     "it has been read."},
    {"connect", &connect, METH_O, "On a channel: connect(proxy.name) sets the other end."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void port_object::define(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&destroyed)},
                                {Py_tp_methods, methods},
                                {Py_mp_length, reinterpret_cast<void*>(&size)},
                                {0, nullptr}};
  static PyType_Spec spec{"imbrex._core.Port", sizeof(port_object), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release().ptr());
  m.attr("Port") = nb::borrow(reinterpret_cast<PyObject*>(type));
}

nb::object new_port_object(std::shared_ptr<port> its) {
  auto* const o = PyObject_New(port_object, port_object::type);
  if (o == nullptr) throw nb::python_error();
  ::new (&o->its) std::shared_ptr<port>(std::move(its));
  return nb::steal(reinterpret_cast<PyObject*>(o));
}

}  // namespace imbrex::python
