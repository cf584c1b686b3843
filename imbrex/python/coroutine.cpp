// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/coroutine.hpp>

#include <imbrex/python/awaitable.hpp>

namespace imbrex::python {

namespace {

awaitable_object& awaitable_in(const nb::object& o) { return *reinterpret_cast<awaitable_object*>(o.ptr()); }

}  // namespace

coroutine::coroutine(nb::object what) : what_(std::move(what)) {
  if (PyCoro_CheckExact(what_.ptr()) || is_awaitable(what_.ptr())) return;
  const auto* const as_async = Py_TYPE(what_.ptr())->tp_as_async;
  if (as_async == nullptr || as_async->am_await == nullptr)
    throw nb::type_error((std::string(Py_TYPE(what_.ptr())->tp_name) + " cannot be awaited").c_str());
  what_ = checked(as_async->am_await(what_.ptr()));
}

coroutine::~coroutine() {
  interpreter_lock::hold_here();
  if (!waits_for_.is_valid() || !is_awaitable(waits_for_.ptr())) return;
  // The program may still hold the awaited object, which must not resume this coroutine any more.
  auto& cancelled = awaitable_in(waits_for_);
  cancelled.its_state = awaitable_object::state::over;
  delete std::exchange(cancelled.what, nullptr);
}

bool coroutine::start(scope& entry, const waiter& awaiter) {
  entry_ = &entry;
  if (!what_.is_valid() || advance()) return true;
  awaiter_ = awaiter;
  return false;
}

void coroutine::resume(void* self) {
  interpreter_lock::hold_here();
  auto& c = *static_cast<coroutine*>(self);
  if (c.advance()) c.awaiter_.resume();
}

namespace {

/// Raises Python's current error inside a coroutine; results as of `PyIter_Send`.
PySendResult throw_into(PyObject* coroutine, PyObject** result) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const nb::object its_type = nb::steal(type);
  const nb::object its_trace = nb::steal(trace);
  const nb::object raised = nb::steal(value);
  *result = PyObject_CallMethod(coroutine, "throw", "O", raised.ptr());
  if (*result != nullptr) return PYGEN_NEXT;
  if (PyErr_ExceptionMatches(PyExc_StopIteration) == 0) return PYGEN_ERROR;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  const nb::object stop_type = nb::steal(type);
  const nb::object stop_trace = nb::steal(trace);
  const nb::object stop = nb::steal(value);
  *result = PyObject_GetAttrString(stop.ptr(), "value");
  return *result != nullptr ? PYGEN_RETURN : PYGEN_ERROR;
}

}  // namespace

bool coroutine::advance() {
  bool throws = false;
  for (;;) {
    if (waits_for_.is_valid() && !throws) awaitable_in(waits_for_).its_state = awaitable_object::state::ready;
    PyObject* result = nullptr;
    const PySendResult sent =
        throws ? throw_into(what_.ptr(), &result) : PyIter_Send(what_.ptr(), Py_None, &result);
    waits_for_.reset();
    if (sent == PYGEN_RETURN) {
      result_ = nb::steal(result);
      return true;
    }
    if (sent == PYGEN_ERROR) {
      raised_ = std::make_exception_ptr(nb::python_error());
      return true;
    }
    waits_for_ = nb::steal(result);
    throws = !is_awaitable(result);
    if (throws) {
      PyErr_Format(PyExc_TypeError,
                   "an entry awaited an object that yielded a %s, which imbrex cannot resume: await an "
                   "object of imbrex, or another coroutine",
                   Py_TYPE(result)->tp_name);
    } else if (awaitable_in(waits_for_).what->suspend(waiter(&resume, this), *entry_)) {
      return false;
    }
  }
}

nb::object coroutine::result() {
  if (raised_) std::rethrow_exception(std::exchange(raised_, nullptr));
  return std::move(result_);
}

std::string coroutine::place() const {
  static module_attribute place("imbrex._errors", "place");
  const nb::object text = checked(PyObject_CallOneArg(place, what_.ptr()));
  return nb::str(text).c_str();
}

bool coroutine_awaiter::suspend(const waiter& who, scope& entry) {
  static constexpr body_kind kind{nullptr, false, &place_of_coroutine};
  const bool is_main_task = entry.chare == nullptr && entry.kind == nullptr;
  if (is_main_task) {
    entry.kind = &kind;
    entry.body = &body_;
  }
  return !body_.start(entry, who);
}

std::string place_of_coroutine(const void* body) {
  const nb::gil_scoped_acquire lock;
  try {
    return static_cast<const coroutine*>(body)->place();
  } catch (nb::python_error& e) {
    return std::string("an unknown location: ") + e.what();
  }
}

}  // namespace imbrex::python
