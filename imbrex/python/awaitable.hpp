// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <imbrex/coro/await_by.hpp>
#include <imbrex/python/interpreter.hpp>
#include <imbrex/sched/observer.hpp>
#include <imbrex/sched/scheduler.hpp>

namespace imbrex::python {

/// An operation that Python awaits; wraps an awaitable of the C++ runtime.
class awaited_thing {
 public:
  virtual ~awaited_thing() = default;
  /// Starts to await. True if the result is ready.
  virtual bool begin() = 0;
  /// False if the result is ready; otherwise `who` is resumed later.
  virtual bool suspend(const waiter& who, scope& entry) = 0;
  /// The result. Throws if the operation has failed.
  virtual nb::object result() = 0;
};

/// `Convert` converts the result to a Python value; unused if the result is void.
template <class Awaitable, class Convert>
class awaited_by final : public awaited_thing {
 public:
  awaited_by(Awaitable&& what, Convert convert) : what_(std::move(what)), convert_(std::move(convert)) {}

  bool begin() override {
    awaiter_.emplace(what_);
    if constexpr (detail::bound_to_pe<awaiter>) awaiter_->is.check_pe();
    return awaiter_->is.await_ready();
  }
  bool suspend(const waiter& who, scope& entry) override {
    try {
      return awaiter_->is.suspend(who, entry);
    } catch (...) {
      refusal_ = std::current_exception();  // raised at the await
      return false;
    }
  }
  nb::object result() override {
    if (refusal_) std::rethrow_exception(std::exchange(refusal_, nullptr));
    if constexpr (std::is_void_v<decltype(awaiter_->is.await_resume())>) {
      awaiter_->is.await_resume();
      return nb::none();
    } else {
      return convert_(awaiter_->is.await_resume());
    }
  }

 private:
  using awaiter_result = decltype(detail::awaiter_of(std::declval<Awaitable>()));
  using awaiter = std::remove_cvref_t<awaiter_result>;
  struct place {
    explicit place(Awaitable& of) : is(detail::awaiter_of(std::move(of))) {}
    awaiter_result is;
  };

  Awaitable what_;
  [[no_unique_address]] Convert convert_;
  std::optional<place> awaiter_;
  std::exception_ptr refusal_;
};

/// The Python object imbrex._core.Awaitable, awaited at most once, by an entry or the main task.
struct awaitable_object {
  enum class state {
    fresh,
    waiting,  ///< a coroutine waits
    ready,    ///< the result is ready; the coroutine resumes next
    over,
  };

  PyObject ob_base;
  awaited_thing* what;  ///< null once awaited, or once the run has ended
  state its_state;
  PyObject* name;  ///< for a warning if it is not awaited: "Block.run.call()"; null: no warning
  const detail::scheduler* owner_pe;  ///< null: made outside of PEs
  awaitable_object* follower;         ///< next in the list of all awaitables
  awaitable_object** place;           ///< the pointer in the list that points to this object

  static inline PyTypeObject* type = nullptr;
  static void define(nb::module_& m);
};

inline bool is_awaitable(PyObject* o) { return Py_TYPE(o) == awaitable_object::type; }

/// Destroys the operations that a PE's awaitables hold when the PE's thread ends, since they belong to the
/// run. The program may keep the Python objects longer.
class end_of_awaitables final : public observer {
 public:
  explicit end_of_awaitables(const detail::scheduler& pe) : pe_(pe) {}
  void thread_ends() override;

 private:
  const detail::scheduler& pe_;
};

/// Suppresses the warning for an object that is never awaited, since its new owner may have a reason.
inline void take_awaitable(PyObject* o) {
  if (is_awaitable(o)) Py_CLEAR(reinterpret_cast<awaitable_object*>(o)->name);
}

/// Takes ownership of `what`. `name` is borrowed; null suppresses the warning for an object never awaited.
nb::object new_awaitable(awaited_thing* what, PyObject* name);

template <class Awaitable, class Convert>
nb::object awaitable_of(Awaitable&& what, Convert convert, PyObject* name = nullptr) {
  static_assert(!std::is_lvalue_reference_v<Awaitable>);
  return new_awaitable(new awaited_by<Awaitable, Convert>(std::move(what), std::move(convert)), name);
}
/// Wraps an awaitable that has no result.
template <class Awaitable>
nb::object awaitable_of(Awaitable&& what) {
  return awaitable_of(std::forward<Awaitable>(what), nullptr);
}

}  // namespace imbrex::python
