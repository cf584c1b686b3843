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

/// What Python awaits: something that an entry of C++ could co_await.
class awaited_thing {
 public:
  virtual ~awaited_thing() = default;
  /// Begins to await it. True if its result is there.
  virtual bool begin() = 0;
  /// False if its result is there; otherwise `who` is resumed later.
  virtual bool suspend(const waiter& who, scope& entry) = 0;
  /// Throws what came instead.
  virtual nb::object result() = 0;
};

/// `Convert` makes a value of Python of the result; it has none if the result is void.
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
      refusal_ = std::current_exception();  // which is raised where it is awaited
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
  using given = decltype(detail::awaiter_of(std::declval<Awaitable>()));
  using awaiter = std::remove_cvref_t<given>;
  struct place {
    explicit place(Awaitable& of) : is(detail::awaiter_of(std::move(of))) {}
    given is;
  };

  Awaitable what_;
  [[no_unique_address]] Convert convert_;
  std::optional<place> awaiter_;
  std::exception_ptr refusal_;
};

/// The object of Python. It is awaited once, by an entry or the main task.
struct awaitable_object {
  enum class state {
    fresh,
    waiting,  ///< a coroutine waits for it
    ready,    ///< that is to go on
    over,
  };

  PyObject ob_base;
  awaited_thing* what;  ///< null when it is over, or the run is
  state its_state;
  PyObject* name;  ///< "Block.run.call()", which a warning says if nobody awaits it; null for none
  const detail::scheduler* made_on;  ///< null: on no PE
  awaitable_object* follower;        ///< among all that there are
  awaitable_object** place;          ///< what names this one

  static inline PyTypeObject* type = nullptr;
  static void define(nb::module_& m);
};

inline bool is_awaitable(PyObject* o) { return Py_TYPE(o) == awaitable_object::type; }

/// Of a PE: when its thread ends, so does what awaitables of that PE hold, which is the run's. A program may
/// keep the objects longer.
class end_of_awaitables final : public observer {
 public:
  explicit end_of_awaitables(const detail::scheduler& pe) : pe_(pe) {}
  void thread_ends() override;

 private:
  const detail::scheduler& pe_;
};

/// Nothing is said if nobody awaits it: whoever takes it may have a reason not to.
inline void take_awaitable(PyObject* o) {
  if (is_awaitable(o)) Py_CLEAR(reinterpret_cast<awaitable_object*>(o)->name);
}

/// Takes `what`. `name` is borrowed: null if nothing is said where nobody awaits it.
nb::object new_awaitable(awaited_thing* what, PyObject* name);

template <class Awaitable, class Convert>
nb::object awaitable_of(Awaitable&& what, Convert convert, PyObject* name = nullptr) {
  static_assert(!std::is_lvalue_reference_v<Awaitable>);
  return new_awaitable(new awaited_by<Awaitable, Convert>(std::move(what), std::move(convert)), name);
}
/// The same of what has no result.
template <class Awaitable>
nb::object awaitable_of(Awaitable&& what) {
  return awaitable_of(std::forward<Awaitable>(what), nullptr);
}

}  // namespace imbrex::python
