// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include <nanobind/nanobind.h>

#include <imbrex/sched/observer.hpp>

namespace imbrex::python {

namespace nb = nanobind;

/// Has the thread of a PE hold the interpreter's lock while it has work, and give it up while it sleeps. If
/// Python has no such lock, its threads run at once, but stop while one of them collects garbage, which waits
/// for each that does not sleep. One for each PE; one thread may have several PEs.
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

/// A value of Python that is made when it is first asked for and lives as long as the process. Threads may do
/// so at once: one of what they make is kept. None waits for another, as threads wait for a static variable:
/// one that waits so does not stop when Python has all threads stop.
class kept_object {
 public:
  /// `make` returns a new reference, or null with what Python has raised.
  template <class Make>
  PyObject* get(const Make& make) {
    PyObject* kept = object_.load(std::memory_order_acquire);
    if (kept != nullptr) [[likely]]
      return kept;
    nb::object made = checked(make());
    return object_.compare_exchange_strong(kept, made.ptr()) ? made.release().ptr() : kept;
  }

 private:
  std::atomic<PyObject*> object_ = nullptr;
};

/// An attribute of a module of Python, such as one of this package, for a static variable.
class module_attribute {
 public:
  constexpr module_attribute(const char* module, const char* name) : module_(module), name_(name) {}
  operator PyObject*() {
    return kept_.get([&] { return find(module_, name_); });
  }
  /// A new reference, or null with what Python has raised.
  static PyObject* find(const char* module, const char* name);

 private:
  const char* module_;
  const char* name_;
  kept_object kept_;
};

}  // namespace imbrex::python
