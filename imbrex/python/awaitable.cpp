// SPDX-License-Identifier: Apache-2.0
#include <imbrex/python/awaitable.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace imbrex::python {

namespace {

awaitable_object& of(PyObject* o) { return *reinterpret_cast<awaitable_object*>(o); }

awaitable_object* all = nullptr;
nb::ft_mutex all_lock;

void enlist(awaitable_object& a) {
  const nb::ft_lock_guard hold(all_lock);
  a.follower = all;
  a.place = &all;
  if (all != nullptr) all->place = &a.follower;
  all = &a;
}

/// Removes the object from the list and returns its operation.
std::unique_ptr<awaited_thing> strike(awaitable_object& a) {
  const nb::ft_lock_guard hold(all_lock);
  *a.place = a.follower;
  if (a.follower != nullptr) a.follower->place = a.place;
  return std::unique_ptr<awaited_thing>(std::exchange(a.what, nullptr));
}

void destroyed(PyObject* o) {
  auto& a = of(o);
  if (a.its_state == awaitable_object::state::fresh && a.name != nullptr) {
    PyObject* type = nullptr;  // keep an error that is already set
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    if (PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "%U was never awaited", a.name) < 0)
      PyErr_WriteUnraisable(nullptr);
    PyErr_Restore(type, value, trace);
  }
  strike(a).reset();
  Py_XDECREF(a.name);
  PyTypeObject* const type = Py_TYPE(o);
  PyObject_Free(o);
  Py_DECREF(type);
}

PyObject* await(PyObject* o) { return Py_NewRef(o); }

/// Implements am_send: yields the object itself, and returns the result once the driver (`coroutine`) resumes
/// it.
PySendResult send(PyObject* o, PyObject* /*value*/, PyObject** result) noexcept {
  auto& a = of(o);
  using state = awaitable_object::state;
  *result = nullptr;
  try {
    if (a.its_state == state::over) {
      PyErr_SetString(PyExc_RuntimeError,
                      "it was awaited twice, or was cancelled: keep what the first await gave");
      return PYGEN_ERROR;
    }
    if (a.what == nullptr) {
      PyErr_SetString(PyExc_RuntimeError, "the run in which it was made has ended");
      return PYGEN_ERROR;
    }
    if (a.its_state == state::waiting) {
      PyErr_SetString(PyExc_RuntimeError,
                      "another coroutine awaits it already: await it once, and pass on the result");
      return PYGEN_ERROR;
    }
    if (a.its_state == state::fresh) {
      a.its_state = state::waiting;
      if (!a.what->begin()) {
        *result = Py_NewRef(o);
        return PYGEN_NEXT;
      }
    }
    a.its_state = state::over;
    // End the operation before Python continues, so that branches cancelled by when_any are destroyed by
    // then.
    const std::unique_ptr<awaited_thing> ended(std::exchange(a.what, nullptr));
    *result = ended->result().release().ptr();
    return PYGEN_RETURN;
  } catch (...) {
    a.its_state = state::over;
    raise_current_exception();
    return PYGEN_ERROR;
  }
}

/// Implements `next` for Python 3.12 and later, where `await` uses am_send only for Python's own generators.
PyObject* next(PyObject* o) {
  PyObject* result = nullptr;
  if (send(o, Py_None, &result) != PYGEN_RETURN) return result;
  const nb::object value = nb::steal(result);
  // Made explicitly: PyErr_SetObject would take a tuple for the exception's arguments.
  const nb::object stop = nb::steal(PyObject_CallOneArg(PyExc_StopIteration, value.ptr()));
  if (stop.is_valid()) PyErr_SetObject(PyExc_StopIteration, stop.ptr());
  return nullptr;
}

}  // namespace

void awaitable_object::define(nb::module_& m) {
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(&destroyed)},
                                {Py_am_await, reinterpret_cast<void*>(&await)},
                                {Py_am_send, reinterpret_cast<void*>(&send)},
                                {Py_tp_iter, reinterpret_cast<void*>(&PyObject_SelfIter)},
                                {Py_tp_iternext, reinterpret_cast<void*>(&next)},
                                {0, nullptr}};
  static PyType_Spec spec{"imbrex._core.Awaitable", sizeof(awaitable_object), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)).release().ptr());
  m.attr("Awaitable") = nb::borrow(reinterpret_cast<PyObject*>(type));
}

void end_of_awaitables::thread_ends() {
  std::vector<std::unique_ptr<awaited_thing>> ended;
  const nb::ft_lock_guard hold(all_lock);
  for (auto* a = all; a != nullptr; a = a->follower)
    if (a->owner_pe == &pe_ && a->what != nullptr) ended.emplace_back(std::exchange(a->what, nullptr));
}

nb::object new_awaitable(awaited_thing* what, PyObject* name) {
  std::unique_ptr<awaited_thing> owner(what);
  auto* const o = PyObject_New(awaitable_object, awaitable_object::type);
  if (o == nullptr) throw nb::python_error();
  o->what = owner.release();
  o->its_state = awaitable_object::state::fresh;
  o->name = Py_XNewRef(name);
  o->owner_pe = detail::scheduler::current();
  enlist(*o);
  return nb::steal(reinterpret_cast<PyObject*>(o));
}

}  // namespace imbrex::python
