// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include <nanobind/nanobind.h>

#include <imbrex/base/clock.hpp>
#include <imbrex/sched/observer.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex::python {

namespace nb = nanobind;

/// Makes a PE's thread hold the interpreter's lock while it has work for Python, and release it while it
/// sleeps. In a Python without that lock, threads run in parallel, but all that do not sleep stop for a
/// garbage collection. One object for each PE; one thread may run several PEs.
///
/// Attached to items, it also releases the lock for those that belong to C++ alone, up to the next item of
/// Python. Code of Python that such an item reaches, as a coroutine whose awaited call ends, calls
/// `hold_here`. If the process has one PE, kinds of items that never took long keep the lock, since a release
/// costs 300 instructions.
class interpreter_lock final : public observer {
 public:
  /// `are_several`: the process has other PEs, which may wait for the lock.
  interpreter_lock(const detail::scheduler& pe, bool are_several) : pe_(pe), are_several_(are_several) {}

  void thread_begins() override {
    if (pes_of_thread_++ == 0) state_ = PyGILState_Ensure();
  }
  void thread_ends() override {
    hold_here();
    if (--pes_of_thread_ == 0) PyGILState_Release(state_);
  }
  void parks() override {
    if (parked_pes_++ == 0) release();
  }
  void wakes() override {
    if (--parked_pes_ == 0) hold_here();
  }
  void item_begins(const detail::work& item) override {
    kind_of_items& kind = kind_of(item.type);
    if (!kind.is_of_cpp) return hold_here();
    if (kind.releases) return release();
    measured_ = &kind;
    begin_ = pe_.now();
  }
  void item_ends() override {
    if (measured_ == nullptr) return;
    constexpr auto long_time = std::chrono::microseconds(20);  // some hundred times the cost of a release
    std::exchange(measured_, nullptr)->releases = pe_.now() - begin_ > long_time;
  }

  /// Items for chares of this C++ class may run without the lock. `type`: as `type_name` spells it; it lives
  /// as long as the process.
  static void add_class_of_cpp(std::string_view type);
  static bool knows_classes_of_cpp();
  /// Makes this thread hold the lock, if it has released it for an item of C++.
  static void hold_here() {
    if (released_ != nullptr) [[unlikely]]
      PyEval_RestoreThread(std::exchange(released_, nullptr));
  }

 private:
  static void release() {
    if (released_ == nullptr) released_ = PyEval_SaveThread();
  }
  /// Items of one type.
  struct kind_of_items {
    const detail::work_type* type = nullptr;
    bool is_of_cpp = false;  ///< neither the message nor its receiver has values of Python
    bool releases = false;   ///< the lock is released for them
  };

  kind_of_items& kind_of(const detail::work_type* type) {
    kind_of_items& kind = kinds_[(reinterpret_cast<std::uintptr_t>(type) >> 4U) % kinds_.size()];
    if (kind.type != type) [[unlikely]]
      kind = look_at(type);
    return kind;
  }
  kind_of_items look_at(const detail::work_type* type) const;

  static inline thread_local int pes_of_thread_ = 0;
  static inline thread_local int parked_pes_ = 0;
  static inline thread_local PyGILState_STATE state_ = PyGILState_UNLOCKED;
  static inline thread_local PyThreadState* released_ = nullptr;  ///< null while the thread holds the lock

  const detail::scheduler& pe_;
  const bool are_several_;
  kind_of_items* measured_ = nullptr;  ///< kind of the running item, if its time is measured
  nanoseconds begin_{0};
  std::array<kind_of_items, 256> kinds_{};  ///< a cache; kinds that share a place are looked at again
};

/// Throws imbrex::error outside of a PE. `what` is a function of the package; `elsewhere` is the remedy.
void check_in_run(const char* what, const char* elsewhere);

/// Throws Python's current error if `object` is null; otherwise owns it.
inline nb::object checked(PyObject* object) {
  if (object == nullptr) throw nb::python_error();
  return nb::steal(object);
}

/// Sets the exception being handled, of C++ or Python, as Python's current error. Returns null.
PyObject* raise_current_exception() noexcept;

/// A Python value that is made at first use and lives as long as the process. Several threads may make it at
/// once: one value is kept. No thread waits for another, as for a static variable: a thread that waited there
/// could not stop when Python stops all threads.
class kept_object {
 public:
  /// `make` returns a new reference, or null with Python's error set.
  template <class Make>
  PyObject* get(const Make& make) {
    PyObject* kept = object_.load(std::memory_order_acquire);
    if (kept != nullptr) [[likely]]
      return kept;
    nb::object new_object = checked(make());
    return object_.compare_exchange_strong(kept, new_object.ptr()) ? new_object.release().ptr() : kept;
  }

 private:
  std::atomic<PyObject*> object_ = nullptr;
};

/// An attribute of a Python module, such as one of this package; for static variables.
class module_attribute {
 public:
  constexpr module_attribute(const char* module, const char* name) : module_(module), name_(name) {}
  operator PyObject*() {
    return kept_.get([&] { return find(module_, name_); });
  }
  /// A new reference, or null with Python's error set.
  static PyObject* find(const char* module, const char* name);

 private:
  const char* module_;
  const char* name_;
  kept_object kept_;
};

}  // namespace imbrex::python
