// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <imbrex/sched/observer.hpp>

namespace imbrex::python {

namespace nb = nanobind;

/// Has the thread of a PE hold the interpreter's lock while it has work, and give it up while it sleeps.
/// One for each PE; one thread may have several PEs.
class interpreter_lock final : public observer {
 public:
  void thread_begins() override {
    if (pes_of_thread_++ == 0) state_ = PyGILState_Ensure();
  }
  void thread_ends() override {
    if (--pes_of_thread_ == 0) PyGILState_Release(state_);
  }
  void parks() override {
    if (parked_pes_++ == 0) parked_ = PyEval_SaveThread();
  }
  void wakes() override {
    if (--parked_pes_ == 0) PyEval_RestoreThread(parked_);
  }

 private:
  static inline thread_local int pes_of_thread_ = 0;
  static inline thread_local int parked_pes_ = 0;
  static inline thread_local PyGILState_STATE state_ = PyGILState_UNLOCKED;
  static inline thread_local PyThreadState* parked_ = nullptr;
};

/// Throws what Python has raised, unless it has raised nothing and `object` is there.
inline nb::object checked(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

/// The exception that is handled, of C++ or Python, becomes what Python has raised. Returns null.
PyObject* raise_current_exception() noexcept;

/// An attribute of a module of this package, which lives as long as the process.
PyObject* package_attribute(const char* module, const char* name);

}  // namespace imbrex::python
