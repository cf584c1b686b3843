// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/failure.hpp>

#include <cstddef>
#include <cstring>
#include <vector>

#include <imbrex/base/error.hpp>

namespace imbrex::python {

namespace {

/// What Python has raised, whole.
nb::object take_raised() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const nb::object its_type = nb::steal(type);
  const nb::object its_trace = nb::steal(trace);
  if (trace != nullptr) PyException_SetTraceback(value, trace);
  return nb::steal(value);
}

}  // namespace

std::exception_ptr take_python_error(const std::string& who) {
  const nb::object raised = take_raised();
  try {
    static module_attribute pack("imbrex._errors", "pack");
    const nb::object words = checked(PyObject_CallFunction(pack, "Os", raised.ptr(), who.c_str()));
    const char* text = nullptr;
    const char* form = nullptr;
    Py_ssize_t size = 0;
    if (PyArg_ParseTuple(words.ptr(), "sy#", &text, &form, &size) == 0) throw nb::python_error();
    std::vector<std::byte> bytes(static_cast<std::size_t>(size));
    std::memcpy(bytes.data(), form, bytes.size());
    return std::make_exception_ptr(foreign_error(text, std::move(bytes)));
  } catch (const nb::python_error& e) {
    return std::make_exception_ptr(
        error(std::string("an exception of Python could not be put into words: ") + e.what()));
  }
}

std::optional<int> status_of_system_exit() {
  try {
    throw;
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_SystemExit)) return std::nullopt;
    const nb::object code = checked(PyObject_GetAttrString(e.value().ptr(), "code"));
    if (code.is_none()) return 0;
    if (PyLong_Check(code.ptr())) {
      int overflow = 0;
      return static_cast<int>(PyLong_AsLongAndOverflow(code.ptr(), &overflow) & 0xff);  // as the system does
    }
    nb::print(code, nb::none(), nb::module_::import_("sys").attr("stderr"));
    return 1;
  } catch (...) {
    return std::nullopt;
  }
}

std::exception_ptr travelling_exception(const std::string& who) {
  try {
    throw;
  } catch (nb::python_error& e) {
    e.restore();
    return take_python_error(who);
  } catch (const nb::builtin_exception&) {
    raise_current_exception();
    return take_python_error(who);
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace imbrex::python
