// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/failure.hpp>

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>
#include <vector>

#include <imbrex/base/error.hpp>

namespace imbrex::python {

namespace {

/// Python's current exception with its traceback; clears Python's error.
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

std::atomic<pid_t> process_of_run = 0;

/// Exit status of a SystemExit. Writes its text to stderr if it has one.
int status_in(const nb::python_error& e) {
  const nb::object code = checked(PyObject_GetAttrString(e.value().ptr(), "code"));
  if (code.is_none()) return 0;
  if (PyLong_Check(code.ptr())) {
    int overflow = 0;
    // the system keeps the low 8 bits of a status
    return static_cast<int>(PyLong_AsLongAndOverflow(code.ptr(), &overflow) & 0xff);
  }
  nb::print(code, nb::str("\n"), nb::module_::import_("sys").attr("stderr"));
  return 1;
}

/// Ends a forked process. Python prints the exception and flushes its streams. Python's finalisation is
/// skipped: it would wait for threads that do not exist here.
[[noreturn]] void end_forked_process(nb::python_error& e) {
  int status = 1;
  if (!e.matches(PyExc_SystemExit)) {
    e.restore();
    PyErr_Print();
  } else {
    status = status_in(e);
  }
  for (const char* stream : {"stdout", "stderr"}) {
    const nb::object done = nb::steal(PyObject_CallMethod(PySys_GetObject(stream), "flush", nullptr));
    if (!done.is_valid()) PyErr_Clear();
  }
  ::_exit(status);
}

}  // namespace

void note_process_of_run() { process_of_run = ::getpid(); }

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
        error(std::string("the text of a Python exception could not be made: ") + e.what()));
  }
}

std::optional<int> status_of_system_exit() {
  try {
    throw;
  } catch (nb::python_error& e) {
    if (::getpid() != process_of_run) end_forked_process(e);
    if (!e.matches(PyExc_SystemExit)) return std::nullopt;
    return status_in(e);
  } catch (...) {
    return std::nullopt;
  }
}

void add_note(const nb::python_error& to, const std::string& line) {
  const nb::object done = nb::steal(PyObject_CallMethod(to.value().ptr(), "add_note", "s", line.c_str()));
  if (!done.is_valid()) PyErr_Clear();  // the raised exception matters more than its note
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
