// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/proxy_type.hpp>

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <imbrex/python/arguments.hpp>
#include <imbrex/python/array_kind.hpp>
#include <imbrex/python/member.hpp>
#include <imbrex/python/native_class.hpp>
#include <imbrex/python/proxy.hpp>
#include <imbrex/python/values.hpp>

namespace imbrex::python {

namespace {

void destroyed(PyObject* o) {
  reinterpret_cast<proxy_object*>(o)->its.~proxy();
  PyTypeObject* const type = Py_TYPE(o);
  PyObject_Free(o);
  Py_DECREF(type);
}

/// Raises an error that suggests a similar entry. If proxies of another kind have the attribute, its own
/// error stays.
PyObject* no_such_member(PyObject* self, PyObject* name) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  if (PyDict_Contains(proxy_object::type->tp_dict, name) == 1) {
    PyErr_Restore(type, value, trace);
    return nullptr;
  }
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  static module_attribute refuse("imbrex._classes", "refuse_member");
  const proxy& p = proxy_in(self);
  const nb::object none =
      checked(PyObject_CallFunction(refuse, "sOO", p.of->name.c_str(), p.of->by_name, name));
  return nullptr;
}

PyObject* get_attribute(PyObject* self, PyObject* name) noexcept {
  try {
    if (const member_record* const m = proxy_in(self).of->find(name)) return new_member(self, *m);
    PyObject* const found = PyObject_GenericGetAttr(self, name);
    if (found != nullptr || PyErr_ExceptionMatches(PyExc_AttributeError) == 0) return found;
    return no_such_member(self, name);
  } catch (...) {
    return raise_current_exception();
  }
}

nb::object key_text(PyObject* key) {
  static module_attribute text_of_key("imbrex._classes", "text_of_key");
  return checked(PyObject_CallOneArg(text_of_key, key));
}

/// The element of an array or group at a Python index or key.
proxy element_at(const proxy& all, PyObject* index) {
  if (all.kind != proxy_kind::array && all.kind != proxy_kind::group)
    throw nb::type_error("only arrays and groups have elements by index");
  proxy e = all;
  e.kind = proxy_kind::element;
  if (all.dimensions == 0) {
    e.key = nb::str(key_text(index)).c_str();
    return e;
  }
  std::array<int, 6> at{};
  const auto dimensions = read_index(index, at, "an index");
  e.number = linear_place(*all.of, all.extents(), std::span<const int>(at).first(dimensions));
  return e;
}

PyObject* get_item(PyObject* self, PyObject* index) noexcept {
  try {
    return new_proxy(element_at(proxy_in(self), index)).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* insert(PyObject* self, PyObject* arguments, PyObject* named) noexcept {
  try {
    if (PyTuple_GET_SIZE(arguments) == 0) throw nb::type_error("insert(index, ...): give an index");
    const proxy e = element_at(proxy_in(self), PyTuple_GET_ITEM(arguments, 0));
    const nb::object rest = checked(PyTuple_GetSlice(arguments, 1, PY_SSIZE_T_MAX));
    if (e.of->native != nullptr) {
      if (named != nullptr && PyDict_GET_SIZE(named) > 0)
        throw nb::type_error("insert of a C++ class takes its arguments by place");
      constructor_of(*e.of).insert(e, {&PyTuple_GET_ITEM(rest.ptr(), 0), PyTuple_GET_SIZE(rest.ptr())});
      Py_RETURN_NONE;
    }
    encoder out;
    encode_arguments(out, e.of->constructor(), rest.ptr(), named);
    kind_of(e).insert(e, out);
    Py_RETURN_NONE;
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* section(PyObject* self, PyObject* members) noexcept {
  try {
    const nb::object list = checked(PySequence_Fast(members, "section(indices): give a list of indices"));
    std::vector<proxy> all;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(list.ptr()); ++i)
      all.push_back(element_at(proxy_in(self), PySequence_Fast_GET_ITEM(list.ptr(), i)));
    return new_proxy(operations_of(proxy_in(self)).section(proxy_in(self), all)).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* destroy(PyObject* self, PyObject*) noexcept {
  try {
    const proxy& p = proxy_in(self);
    if (p.kind == proxy_kind::section)
      throw nb::type_error("a section is not destroyed: destroy its members");
    if (!p.names_one()) return operations_of(p).destroy_all(p).release().ptr();
    operations_of(p).destroy(p);
    Py_RETURN_NONE;
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* created(PyObject* self, PyObject*) noexcept {
  try {
    const proxy& p = proxy_in(self);
    if (p.kind != proxy_kind::array && p.kind != proxy_kind::group)
      throw nb::type_error("created is of arrays and groups");
    return operations_of(p).created(p).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* with_priority(PyObject* self, PyObject* priority) noexcept {
  try {
    int overflow = 0;
    const long n = PyLong_Check(priority) != 0 ? PyLong_AsLongAndOverflow(priority, &overflow) : 0;
    if (PyLong_Check(priority) == 0) {
      PyErr_Format(PyExc_TypeError, "with_priority takes an int from -32 to 31, not %R", priority);
      return nullptr;
    }
    if (overflow != 0 || n < -32 || n > 31) {
      PyErr_Format(PyExc_ValueError, "a priority of %R: it is -32 to 31, and lower ones go first", priority);
      return nullptr;
    }
    proxy p = proxy_in(self);
    p.priority = static_cast<std::int8_t>(n);
    return new_proxy(std::move(p)).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* coalesced(PyObject* self, PyObject*) noexcept {
  try {
    proxy p = proxy_in(self);
    if (!p.names_one()) throw nb::type_error("only messages to one chare may wait for others: say whose");
    p.is_coalesced = true;
    return new_proxy(std::move(p)).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* shape(PyObject* self, void*) noexcept {
  try {
    const proxy& p = proxy_in(self);
    if (p.dimensions == 0 || p.names_one())
      throw nb::attribute_error("only arrays with dense indices have a shape");
    if (p.dimensions > 1) return index_object(p.extents()).release().ptr();
    return Py_BuildValue("(i)", p.shape[0]);
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* local(PyObject* self, void*) noexcept {
  try {
    const proxy& p = proxy_in(self);
    if (p.kind != proxy_kind::group) throw nb::attribute_error("only groups have a chare on each PE");
    return local_chare(p).release().ptr();
  } catch (...) {
    return raise_current_exception();
  }
}

Py_ssize_t size(PyObject* self) noexcept {
  const proxy& p = proxy_in(self);
  if (p.dimensions == 0 || (p.kind != proxy_kind::array && p.kind != proxy_kind::group)) {
    PyErr_SetString(PyExc_TypeError, "only arrays with dense indices, and groups, have a length");
    return -1;
  }
  std::uint64_t all = 1;
  for (const int n : p.extents()) all *= static_cast<std::uint64_t>(n);
  return static_cast<Py_ssize_t>(all);
}

PyObject* iterate(PyObject* self) noexcept {
  const proxy& p = proxy_in(self);
  PyErr_Format(PyExc_TypeError,
               "%s cannot be iterated over: its entries are called by proxy.entry.call(...), and an array's "
               "elements are a[i]",
               p.names_one() ? element_text(p).c_str() : ("all of " + p.of->name).c_str());
  return nullptr;
}

PyObject* text(PyObject* self) noexcept {
  try {
    const proxy& p = proxy_in(self);
    const std::string words = p.names_one() ? element_text(p) : p.of->name;
    const char* const what = p.names_one()                 ? "chare"
                             : p.kind == proxy_kind::array ? "array of"
                             : p.kind == proxy_kind::group ? "group of"
                                                           : "section of";
    return PyUnicode_FromFormat("<%s %s>", what, words.c_str());
  } catch (...) {
    return raise_current_exception();
  }
}

PyObject* compare(PyObject* a, PyObject* b, int how) noexcept {
  if (!is_proxy(b) || (how != Py_EQ && how != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((proxy_in(a) == proxy_in(b)) == (how == Py_EQ) ? 1 : 0);
}

Py_hash_t hash(PyObject* self) noexcept {
  const proxy& p = proxy_in(self);
  const auto h = static_cast<Py_hash_t>((p.collection * 0x9e3779b97f4a7c15U ^ p.number) +
                                        std::hash<std::string>()(p.key));
  return h == -1 ? -2 : h;
}

PyObject* reduce(PyObject* self, PyObject*) noexcept {
  try {
    static module_attribute again("imbrex._classes", "proxy_again");
    PyObject* const make = again;
    const parcel bytes = parcel_of(self);
    const std::span<const std::byte> head = bytes.head;
    return Py_BuildValue("O(y#)", make, reinterpret_cast<const char*>(head.data()),
                         static_cast<Py_ssize_t>(head.size()));
  } catch (...) {
    return raise_current_exception();
  }
}

PyMethodDef methods[] = {
    {"insert", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&insert)), METH_VARARGS | METH_KEYWORDS,
     "insert(index, ...): creates an element of a sparse array, or of one with keys."},
    {"section", &section, METH_O, "section(indices): a proxy of some elements."},
    {"destroy", &destroy, METH_NOARGS,
     "Destroys the chare, or all chares of an array or group, which can be awaited."},
    {"created", &created, METH_NOARGS, "Waits until the initial elements of the array exist on all PEs."},
    {"with_priority", &with_priority, METH_O,
     "with_priority(n): this proxy for messages with a priority from -32 to 31."},
    {"coalesced", &coalesced, METH_NOARGS,
     "This proxy for short messages, which may be sent together later."},
    {"__reduce__", &reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

PyGetSetDef attributes[] = {{"shape", &shape, nullptr, "The extents of an array.", nullptr},
                            {"local", &local, nullptr, "The chare of a group on this PE.", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

void define_proxies(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&destroyed)},
                                {Py_tp_getattro, reinterpret_cast<void*>(&get_attribute)},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, attributes},
                                {Py_tp_iter, reinterpret_cast<void*>(&iterate)},
                                {Py_tp_repr, reinterpret_cast<void*>(&text)},
                                {Py_tp_richcompare, reinterpret_cast<void*>(&compare)},
                                {Py_tp_hash, reinterpret_cast<void*>(&hash)},
                                {Py_mp_subscript, reinterpret_cast<void*>(&get_item)},
                                {Py_mp_length, reinterpret_cast<void*>(&size)},
                                {0, nullptr}};
  static PyType_Spec spec{"imbrex._core.Proxy", sizeof(proxy_object), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  proxy_object::type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release().ptr());
  m.attr("Proxy") = nb::borrow(reinterpret_cast<PyObject*>(proxy_object::type));
  // Returns the class of the named chares, the proxy's kind, and the shape (None if there is none).
  m.def("_describe", [](const nb::object& o) {
    if (!is_proxy(o.ptr())) throw nb::type_error("a proxy is described, and nothing else");
    const proxy& p = proxy_in(o.ptr());
    static constexpr const char* kinds[] = {"element", "array", "group", "section"};
    const bool has_shape = p.dimensions > 0 && !p.is_single;
    nb::object shape = has_shape ? nb::object(nb::steal(PyTuple_New(p.dimensions))) : nb::none();
    for (int d = 0; has_shape && d < p.dimensions; ++d)
      PyTuple_SET_ITEM(shape.ptr(), d, PyLong_FromLong(p.shape[static_cast<std::size_t>(d)]));
    return nb::make_tuple(nb::borrow(p.of->type), kinds[static_cast<int>(p.kind)], shape);
  });
  // Returns the ints of an index or shape; the text names it in errors.
  m.def(
      "_index",
      [](const nb::object& o, const char* what) {
        std::array<int, 6> at{};
        const auto dimensions = read_index(o.ptr(), at, what);
        nb::list ints;
        for (const int i : std::span<const int>(at).first(dimensions)) ints.append(i);
        return nb::tuple(ints);
      },
      nb::arg().none(), nb::arg());
  m.def("_proxy", [](const nb::bytes& bytes) {
    decoder in(std::span(static_cast<const std::byte*>(bytes.data()), bytes.size()));
    return decode(in);
  });
}

}  // namespace imbrex::python
