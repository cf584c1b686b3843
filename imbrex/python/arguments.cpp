// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/arguments.hpp>

#include <imbrex/python/values.hpp>

namespace imbrex::python {

namespace {

constexpr Py_ssize_t most_arguments = 255;

void encode_fitting(encoder& out, PyObject* const* given, Py_ssize_t positional, PyObject* names) {
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  if (positional > most_arguments || named > most_arguments)
    throw nb::type_error("an entry takes at most 255 arguments: give it a tuple or list");
  out.number(static_cast<std::uint8_t>(positional));
  out.number(static_cast<std::uint8_t>(named));
  for (Py_ssize_t i = 0; i < positional; ++i) encode(out, given[i]);
  for (Py_ssize_t i = 0; i < named; ++i) {
    encode(out, PyTuple_GET_ITEM(names, i));
    encode(out, given[positional + i]);
  }
}

/// Binds them by the entry's signature: names of positional parameters become places.
void encode_bound(encoder& out, const member_record& entry, PyObject* given, PyObject* named) {
  static module_attribute bind("imbrex._classes", "bind");
  const nb::object bound = checked(PyObject_CallFunction(bind, "ssOOO", entry.of->name.c_str(),
                                                         entry.name.c_str(), entry.signature, given, named));
  PyObject* const places = PyTuple_GetItem(bound.ptr(), 0);
  PyObject* const rest = places != nullptr ? PyTuple_GetItem(bound.ptr(), 1) : nullptr;
  if (rest == nullptr) throw nb::python_error();
  const nb::object names = checked(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyTuple_Type), rest));
  const Py_ssize_t positional = PyTuple_GET_SIZE(places);
  std::vector<PyObject*> all;
  for (Py_ssize_t i = 0; i < positional; ++i) all.push_back(PyTuple_GET_ITEM(places, i));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.ptr()); ++i)
    all.push_back(PyDict_GetItem(rest, PyTuple_GET_ITEM(names.ptr(), i)));
  encode_fitting(out, all.data(), positional, names.ptr());
}

}  // namespace

void encode_arguments(encoder& out, const member_record& entry, PyObject* const* given, Py_ssize_t positional,
                      PyObject* names) {
  const bool fits = positional >= entry.least && (positional <= entry.most || entry.most < 0);
  if (fits && !entry.has_keywords && (names == nullptr || PyTuple_GET_SIZE(names) == 0)) [[likely]]
    return encode_fitting(out, given, positional, nullptr);
  const nb::object places = checked(PyTuple_New(positional));
  for (Py_ssize_t i = 0; i < positional; ++i) PyTuple_SET_ITEM(places.ptr(), i, Py_NewRef(given[i]));
  const nb::object named = checked(PyDict_New());
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i)
    if (PyDict_SetItem(named.ptr(), PyTuple_GET_ITEM(names, i), given[positional + i]) < 0)
      throw nb::python_error();
  encode_bound(out, entry, places.ptr(), named.ptr());
}

void encode_arguments(encoder& out, const member_record& entry, PyObject* given, PyObject* named) {
  if (named != nullptr && PyDict_GET_SIZE(named) > 0) return encode_bound(out, entry, given, named);
  encode_arguments(out, entry, &PyTuple_GET_ITEM(given, 0), PyTuple_GET_SIZE(given), nullptr);
}

}  // namespace imbrex::python
