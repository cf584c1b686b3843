// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/member.hpp>

#include <string>
#include <utility>

#include <imbrex/python/arguments.hpp>
#include <imbrex/python/native_class.hpp>
#include <imbrex/python/values.hpp>

namespace imbrex::python {

namespace {

member_object& of(PyObject* o) { return *reinterpret_cast<member_object*>(o); }

#if defined(Py_GIL_DISABLED)
bool keep_as_spare(PyObject* /*o*/) { return false; }
member_object* take_spare() { return nullptr; }
#else
/// A free object for the next `new_member`, since most members live for one statement.
PyObject* spare = nullptr;

bool keep_as_spare(PyObject* o) {
  if (spare != nullptr) return false;
  spare = o;
  return true;
}
/// Null if there is no spare object.
member_object* take_spare() {
  if (spare == nullptr) return nullptr;
  Py_SET_REFCNT(spare, 1);
  return reinterpret_cast<member_object*>(std::exchange(spare, nullptr));
}
#endif

void destroyed(PyObject* o) {
  Py_DECREF(of(o).target);
  if (keep_as_spare(o)) return;
  PyTypeObject* const type = Py_TYPE(o);
  PyObject_Free(o);
  Py_DECREF(type);
}

/// Words for a kind of proxy in error texts: "an array".
const char* name_of(proxy_kind kind) {
  switch (kind) {
    case proxy_kind::element: return "one chare";
    case proxy_kind::array: return "an array";
    case proxy_kind::group: return "a group";
    case proxy_kind::section: return "a section";
  }
  return "";
}

[[noreturn]] void refuse(const member_object& m, const char* what, const std::string& instead) {
  throw nb::type_error(
      (m.its->whole_name() + " of " + name_of(proxy_in(m.target).kind) + " has no " + what + ": " + instead)
          .c_str());
}

void send_value(const member_object& m, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  if (count < 1 || count > 2 || (names != nullptr && PyTuple_GET_SIZE(names) > 0))
    throw nb::type_error((m.its->whole_name() +
                          ".send takes a value, or a reference number and a value, but " +
                          std::to_string(count) + " arguments were given" +
                          (names != nullptr && PyTuple_GET_SIZE(names) > 0 ? " with names" : ""))
                             .c_str());
  std::int64_t reference = 0;
  if (count == 2) {
    if (PyIndex_Check(args[0]) == 0)
      throw nb::type_error((m.its->whole_name() + ".send: the reference number is " +
                            Py_TYPE(args[0])->tp_name + ", not an int")
                               .c_str());
    const nb::object number = checked(PyNumber_Index(args[0]));
    reference = PyLong_AsLongLong(number.ptr());
    if (reference == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw nb::value_error((m.its->whole_name() + ".send: the reference number is " +
                             nb::str(number).c_str() + ", and must fit 64 bits")
                                .c_str());
    }
  }
  const proxy& to = proxy_in(m.target);
  if (m.its->native_values != nullptr) return m.its->native_values->send(to, reference, args[count - 1]);
  encoder value;
  encode_value(value, *m.its, args[count - 1]);
  kind_of(to).put(to, m.its->number, reference, value);
}

PyObject* send(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) noexcept {
  try {
    const auto& m = of(self);
    if (m.its->is_port()) {
      if (m.its->is_channel())
        refuse(m, "send", "the other end of the channel sends to it, as in self.right.send(value)");
      send_value(m, args, count, names);
      Py_RETURN_NONE;
    }
    const proxy& to = proxy_in(m.target);
    if (m.its->native != nullptr) {
      m.its->native->send(to, {args, count, names});
      Py_RETURN_NONE;
    }
    encoder arguments;
    encode_arguments(arguments, *m.its, args, count, names);
    kind_of(to).send(to, *m.its, arguments);
    Py_RETURN_NONE;
  } catch (...) {
    return raise_current_exception();
  }
}

/// Calls the entry of each element and combines the results.
nb::object reduced(const member_object& m, operation by, PyObject* const* args, Py_ssize_t count,
                   PyObject* names, PyObject* awaited) {
  const proxy& to = proxy_in(m.target);
  if (m.its->native != nullptr) return m.its->native->reduce(to, by, {args, count, names}, awaited);
  encoder arguments;
  encode_arguments(arguments, *m.its, args, count, names);
  return kind_of(to).reduce(to, *m.its, std::move(by), arguments, awaited);
}

PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) noexcept {
  try {
    const auto& m = of(self);
    if (m.its->is_port()) refuse(m, "call", "a mailbox or channel has no result to await, so use send");
    const proxy& to = proxy_in(m.target);
    if (m.its->native != nullptr)
      return m.its->native->call(to, {args, count, names}, m.its->awaited_name).release().ptr();
    if (!to.names_one()) return reduced(m, {}, args, count, names, m.its->awaited_name).release().ptr();
    encoder arguments;
    encode_arguments(arguments, *m.its, args, count, names);
    return kind_of(to).call(to, *m.its, arguments, m.its->awaited_name).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* reduce(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) noexcept {
  try {
    const auto& m = of(self);
    if (m.its->is_port()) refuse(m, "reduce", "a mailbox or channel has no results");
    if (proxy_in(m.target).names_one())
      refuse(m, "reduce",
             "reduce combines the results of many, so use call, or reduce of an array or section");
    if (count == 0)
      throw nb::type_error(
          (m.its->whole_name() + ".reduce needs an operation first, such as imbrex.sum").c_str());
    return reduced(m, operation_of(args[0]), args + 1, count - 1, names, m.its->reduced_name).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* receive(PyObject* self, PyObject* const*, Py_ssize_t, PyObject*) noexcept {
  try {
    const auto& m = of(self);
    if (m.its->is_port())
      refuse(m, "receive", "the chare itself receives, as in await self." + m.its->name + ".receive()");
    refuse(m, "receive", "only mailboxes and channels have, so await what call returns");
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* await(PyObject* self) noexcept {
  const member_record& its = *of(self).its;
  if (its.is_port())
    PyErr_Format(PyExc_TypeError, "%s is no result: the chare itself awaits self.%s.receive()",
                 its.whole_name().c_str(), its.name.c_str());
  else
    PyErr_Format(PyExc_TypeError, "%s is no result: await what %s.call(...) returns",
                 its.whole_name().c_str(), its.name.c_str());
  return nullptr;
}

PyObject* text(PyObject* self) noexcept {
  return PyUnicode_FromFormat("<%s of %s>", of(self).its->whole_name().c_str(),
                              name_of(proxy_in(of(self).target).kind));
}

PyObject* called(PyObject* self, PyObject*, PyObject*) noexcept {
  PyErr_Format(PyExc_TypeError, "%s is called by .send(...), .call(...) or .reduce(operation, ...)",
               of(self).its->whole_name().c_str());
  return nullptr;
}

PyCFunction function(PyObject* (*f)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*) noexcept) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

PyMethodDef methods[] = {
    {"send", function(&send), METH_FASTCALL | METH_KEYWORDS,
     "Sends a message and returns at once; the result of the entry is dropped. To a mailbox: "
     "send([reference,] value)."},
    {"call", function(&call), METH_FASTCALL | METH_KEYWORDS,
     "Sends a message whose result can be awaited; for many chares, the end of all calls."},
    {"reduce", function(&reduce), METH_FASTCALL | METH_KEYWORDS,
     "reduce(operation, ...): calls the entry of each chare and combines the results."},
    {"receive", function(&receive), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void member_object::define(nb::module_& m) {
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, reinterpret_cast<void*>(&destroyed)}, {Py_tp_methods, methods},
      {Py_tp_repr, reinterpret_cast<void*>(&text)},         {Py_tp_call, reinterpret_cast<void*>(&called)},
      {Py_am_await, reinterpret_cast<void*>(&await)},       {0, nullptr}};
  static PyType_Spec spec{"imbrex._core.Member", sizeof(member_object), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release().ptr());
  m.attr("Member") = nb::borrow(reinterpret_cast<PyObject*>(type));
}

PyObject* new_member(PyObject* target, const member_record& its) {
  member_object* m = take_spare();
  if (m == nullptr) m = PyObject_New(member_object, member_object::type);
  if (m == nullptr) return nullptr;
  m->target = Py_NewRef(target);
  m->its = &its;
  return reinterpret_cast<PyObject*>(m);
}

std::pair<proxy, const member_record*> end_of_channel(PyObject* member) {
  if (Py_TYPE(member) != member_object::type || !of(member).its->is_channel() ||
      !proxy_in(of(member).target).names_one())
    throw nb::type_error(
        "a channel is connected to a channel of another chare, as in connect(self.peers[i].left)");
  return {proxy_in(of(member).target), of(member).its};
}

}  // namespace imbrex::python
