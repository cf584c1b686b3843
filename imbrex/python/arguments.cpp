// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/arguments.hpp>

#include <string>

#include <imbrex/python/failure.hpp>
#include <imbrex/python/values.hpp>

namespace imbrex::python {

namespace {

constexpr Py_ssize_t most_arguments = 255;

void encode_fitting(encoder& out, const member_record& entry, PyObject* const* args, Py_ssize_t positional,
                    PyObject* names) {
  const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  if (positional > most_arguments || named > most_arguments)
    throw nb::type_error("an entry takes at most 255 arguments: give it a tuple or list");
  out.number(tag::arguments);
  out.number(static_cast<std::uint8_t>(positional));
  out.number(static_cast<std::uint8_t>(named));
  Py_ssize_t n = 0;
  try {
    for (; n < positional; ++n) encode(out, args[n]);
    for (; n < positional + named; ++n) {
      encode(out, PyTuple_GET_ITEM(names, n - positional));
      encode(out, args[n]);
    }
  } catch (nb::python_error& e) {
    const std::string which =
        n < positional ? std::to_string(n + 1) : nb::str(PyTuple_GET_ITEM(names, n - positional)).c_str();
    add_note(e, "argument " + which + " of " + entry.whole_name() + " cannot be sent");
    throw;
  }
}

/// Binds the arguments by the entry's signature: named positional parameters move to their positions.
void encode_bound(encoder& out, const member_record& entry, PyObject* args, PyObject* named) {
  static module_attribute bind("imbrex._classes", "bind");
  const nb::object bound = checked(PyObject_CallFunction(bind, "ssOOO", entry.of->name.c_str(),
                                                         entry.name.c_str(), entry.signature, args, named));
  PyObject* const places = PyTuple_GetItem(bound.ptr(), 0);
  PyObject* const rest = places != nullptr ? PyTuple_GetItem(bound.ptr(), 1) : nullptr;
  if (rest == nullptr) throw nb::python_error();
  const nb::object names = checked(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyTuple_Type), rest));
  const Py_ssize_t positional = PyTuple_GET_SIZE(places);
  std::vector<PyObject*> all;
  for (Py_ssize_t i = 0; i < positional; ++i) all.push_back(PyTuple_GET_ITEM(places, i));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.ptr()); ++i)
    all.push_back(PyDict_GetItem(rest, PyTuple_GET_ITEM(names.ptr(), i)));
  encode_fitting(out, entry, all.data(), positional, names.ptr());
}

}  // namespace

void encode_value(encoder& out, const member_record& port, PyObject* value) {
  try {
    encode(out, value);
  } catch (nb::python_error& e) {
    add_note(e, "a value for " + port.whole_name() + " cannot be sent");
    throw;
  }
}

void encode_arguments(encoder& out, const member_record& entry, PyObject* const* args, Py_ssize_t positional,
                      PyObject* names) {
  const bool fits = positional >= entry.least && (positional <= entry.most || entry.most < 0);
  if (fits && !entry.has_keywords && (names == nullptr || PyTuple_GET_SIZE(names) == 0)) [[likely]]
    return encode_fitting(out, entry, args, positional, nullptr);
  const nb::object places = checked(PyTuple_New(positional));
  for (Py_ssize_t i = 0; i < positional; ++i) PyTuple_SET_ITEM(places.ptr(), i, Py_NewRef(args[i]));
  const nb::object named = checked(PyDict_New());
  for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i)
    if (PyDict_SetItem(named.ptr(), PyTuple_GET_ITEM(names, i), args[positional + i]) < 0)
      throw nb::python_error();
  encode_bound(out, entry, places.ptr(), named.ptr());
}

void encode_arguments(encoder& out, const member_record& entry, PyObject* args, PyObject* named) {
  if (named != nullptr && PyDict_GET_SIZE(named) > 0) return encode_bound(out, entry, args, named);
  encode_arguments(out, entry, &PyTuple_GET_ITEM(args, 0), PyTuple_GET_SIZE(args), nullptr);
}

}  // namespace imbrex::python
