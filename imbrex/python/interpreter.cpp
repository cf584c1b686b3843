// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/interpreter.hpp>

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/core/extension/message_kind.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex::python {

namespace {

void set_error(const char* name, const char* text) {
  const nb::object type = checked(module_attribute::find("imbrex._errors", name));
  PyErr_SetString(type.ptr(), text);
}

/// Sets a Python exception that another PE has sent as Python's current error.
void set_foreign(const foreign_error& e) {
  static module_attribute unpack("imbrex._errors", "unpack");
  const auto& form = e.form();
  const nb::object again =
      checked(PyObject_CallFunction(unpack, "y#s", reinterpret_cast<const char*>(form.data()),
                                    static_cast<Py_ssize_t>(form.size()), e.what()));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(again.ptr())), again.ptr());
}

PyObject* type_of(const nb::builtin_exception& e) {
  switch (e.type()) {
    case nb::exception_type::type_error: return PyExc_TypeError;
    case nb::exception_type::attribute_error: return PyExc_AttributeError;
    case nb::exception_type::index_error: return PyExc_IndexError;
    case nb::exception_type::key_error: return PyExc_KeyError;
    default: return PyExc_ValueError;
  }
}

void set_current_exception() {
  try {
    throw;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const foreign_error& e) {
    set_foreign(e);
  } catch (const usage_error& e) {
    set_error("UsageError", e.what());
  } catch (const remote_error& e) {
    set_error("RemoteError", (e.type_name() + ": " + e.what()).c_str());
  } catch (const error& e) {
    set_error("Error", e.what());
  } catch (const nb::builtin_exception& e) {
    PyErr_SetString(type_of(e), e.what());
  } catch (const std::bad_alloc& e) {
    PyErr_SetString(PyExc_MemoryError, e.what());
  } catch (const std::out_of_range& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const std::invalid_argument& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

}  // namespace

namespace {

struct classes_of_cpp {
  std::mutex lock;
  std::vector<std::string_view> types;
};
classes_of_cpp& known_classes() {
  static classes_of_cpp known;
  return known;
}

/// True if neither the message nor its receiver has values of Python: it is for a class of C++, or a reply
/// without such values. A reply may continue a coroutine of Python, which then takes the lock.
bool is_of_cpp(const detail::work_type* items) {
  using extension::is_message_without;
  if (!is_message_without(items, "imbrex::python::")) return false;
  if (!is_message_without(items, "imbrex::detail::reply_message<")) return true;
  classes_of_cpp& known = known_classes();
  const std::lock_guard hold(known.lock);
  return std::ranges::any_of(known.types,
                             [&](std::string_view type) { return !is_message_without(items, type); });
}

}  // namespace

void interpreter_lock::add_class_of_cpp(std::string_view type) {
  classes_of_cpp& known = known_classes();
  const std::lock_guard hold(known.lock);
  known.types.push_back(type);
}

bool interpreter_lock::knows_classes_of_cpp() {
  classes_of_cpp& known = known_classes();
  const std::lock_guard hold(known.lock);
  return !known.types.empty();
}

interpreter_lock::kind_of_items interpreter_lock::look_at(const detail::work_type* type) const {
  return {type, is_of_cpp(type), are_several_};
}

void check_in_run(const char* what, const char* elsewhere) {
  if (detail::scheduler::current() == nullptr)
    throw error(std::string("imbrex.") + what + " is for entries and main tasks, in imbrex.run; " +
                elsewhere);
}

PyObject* raise_current_exception() noexcept {
  try {
    set_current_exception();
  } catch (nb::python_error& e) {
    e.restore();
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "imbrex: the text of a Python exception could not be made");
  }
  return nullptr;
}

PyObject* module_attribute::find(const char* module, const char* name) {
  const nb::object found = nb::steal(PyImport_ImportModule(module));
  return found.is_valid() ? PyObject_GetAttrString(found.ptr(), name) : nullptr;
}

}  // namespace imbrex::python
