// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/waiter.hpp>
#include <imbrex/coro/when_all.hpp>

namespace imbrex {

template <class R>
class pending;

namespace detail {

/// What a `pending` waits for, on the PE that will get it, but for the result.
class pending_base : public reply_target {
 public:
  void fail(std::uint32_t, carried_exception why) final;
  void abandon() noexcept final;

  /// Its owner wants it no more. True if it can be destroyed; on another thread than its PE's it cannot
  /// before the run has ended, which may answer yet, and then is.
  bool renounce() noexcept {
    scheduler* const here = scheduler::current();
    if (here != pe_) [[unlikely]]
      return renounce_elsewhere();
    static_cast<processor*>(here)->replies().close(address_);
    if (error_) [[unlikely]]
      tell_unawaited();
    return true;
  }

  const reply_address& address() const { return address_; }
  /// Its one awaiter has come.
  void claim() {
    if (std::exchange(awaited_, true)) [[unlikely]]
      throw_not_to_be_awaited();
  }
  /// Throws imbrex::error on another PE than that of `processor::here` when it was made: its entry has moved
  /// since.
  void check_pe() const;
  bool ready() const { return ready_; }
  /// True if a result is there, not an exception.
  bool has_result() const { return ready_ && !error_; }
  /// False if it is ready: then the waiter, of that entry, goes on at once.
  bool resume_when_ready(const waiter& who, scope& entry) {
    entry_that_waits_ = &entry;
    if (ready_) return false;
    waiter_ = who;
    return true;
  }
  std::string description() const;

 protected:
  pending_base(processor& pe, const char* what, const message_type* entry)
      : pe_(&pe), what_(what), entry_(entry) {}
  ~pending_base() = default;
  virtual void destroy() noexcept = 0;
  /// Its PE's memory goes sooner than it does.
  virtual void outlive_pe() noexcept = 0;

  /// Begins to wait, as what it is at last.
  void open(processor& pe) { address_ = pe.replies().open(*this); }
  /// The result, or an exception, is there.
  void arrived() {
    ready_ = true;
    tell_part(this, 0);
    if (waiter_) waiter_.resume();
  }
  /// The result is taken; throws what came instead.
  void check() {
    tell_complete(this, 0);
    if (error_) [[unlikely]]
      rethrow();
  }

 private:
  bool renounce_elsewhere() noexcept;
  /// An exception has come, which ends the run if nobody has awaited it.
  void tell_unawaited() noexcept;
  [[noreturn]] void throw_not_to_be_awaited() const;
  [[noreturn]] void rethrow();

  const scheduler* pe_;  ///< that it was made on; the address of no PE once the run is over
  const char* what_;
  const message_type* entry_;
  reply_address address_;
  struct drop_error {
    void operator()(carried_exception* e) const noexcept;
  };
  std::unique_ptr<carried_exception, drop_error> error_;  ///< that came; null if none has
  scope* entry_that_waits_ = nullptr;                     ///< which is told who threw
  bool ready_ = false;
  bool awaited_ = false;
  bool renounced_ = false;  ///< by another thread; read at the end of the run
  waiter waiter_;
};

/// A result has come for a pending that has one, which only a promise can bring about: the run fails.
void fail_promised_twice(processor& pe, const pending_base& promised);

template <class R>
class pending_state final : public pending_base {
 public:
  pending_state(processor& pe, const char* what, const message_type* entry) : pending_base(pe, what, entry) {
    open(pe);
  }

  static void* operator new(std::size_t bytes, scheduler& pe) { return pe.memory().take(bytes); }
  static void operator delete(void* p, scheduler&) noexcept { pool::release(p, sizeof(pending_state)); }
  static void operator delete(void* p, std::size_t bytes) noexcept { pool::release(p, bytes); }

  void accept(std::uint32_t, void* result) override {
    value_.emplace(std::move(*static_cast<storable<R>*>(result)));
    arrived();
  }
  storable<R> take() {
    check();
    return std::move(*value_);
  }

 private:
  void destroy() noexcept override { delete this; }
  void outlive_pe() noexcept override { pool::keep(this, sizeof *this); }

  std::optional<storable<R>> value_;
};

template <class R>
struct pending_deleter {
  void operator()(pending_state<R>* p) const noexcept {
    if (p->renounce()) delete p;
  }
};

/// Waits for what is pending, but for the result.
class pending_wait : public suspension {
 public:
  explicit pending_wait(pending_base& state) : state_(state) {}

  bool await_ready() const { return state_.has_result(); }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) {
    if (!state_.resume_when_ready(who, entry)) return false;
    begin(entry);
    return true;
  }
  void check_pe() const { state_.check_pe(); }
  std::string description() const final;
  awaited cause() const final;

 protected:
  ~pending_wait() = default;

  pending_base& state_;
};

template <class R>
class pending_awaiter final : public pending_wait {
 public:
  explicit pending_awaiter(pending_state<R>& state) : pending_wait(state) {}

  R await_resume() {
    end();
    auto& state = static_cast<pending_state<R>&>(state_);
    if constexpr (std::is_void_v<R>) {
      state.take();
    } else {
      return state.take();
    }
  }
};

}  // namespace detail

/// A result that is on its way: of a call, a reduction, quiescence. It was asked for when this object was
/// made; co_await it, once, whenever the result is wanted. An exception on the other side is thrown there.
/// Belongs to the PE and the run that it was made in; whoever destroys it renounces the result, but an
/// exception that nobody awaits ends the run. One that is kept longer than its run may be destroyed at any
/// time.
template <class R>
class [[nodiscard("co_await the result, or use send where none is wanted")]] pending {
  static_assert(!detail::is_view<R>,
                "imbrex: a span only shows what lies with the chare that returns it: return a value, such as "
                "std::vector");

 public:
  using result_type = R;

  /// For the runtime: `what` and `entry` describe it in a deadlock report.
  explicit pending(const char* what, const detail::message_type* entry = nullptr)
      : pending(detail::processor::here(), what, entry) {}
  /// The same, of the PE that runs here.
  pending(detail::processor& pe, const char* what, const detail::message_type* entry)
      : state_(new(pe) detail::pending_state<R>(pe, what, entry)) {}

  /// Where the result is to be sent.
  const detail::reply_address& address() const { return state_->address(); }

  /// True if co_await would not suspend.
  bool ready() const { return state_->ready(); }

  /// Throws imbrex::error the second time, and when its run has ended.
  auto operator co_await() const {
    state_->claim();
    return detail::pending_awaiter<R>(*state_);
  }

 private:
  std::unique_ptr<detail::pending_state<R>, detail::pending_deleter<R>> state_;
};

namespace detail {

/// An answer. `collection` has no meaning.
template <class R>
struct reply_message : message {
  R result{};

  reply_message() = default;
  explicit reply_message(R&& r) : result(std::move(r)) {}

  static constexpr std::string_view result_name = std::is_same_v<R, nothing> ? "void" : shown_type<R>::name;
  static inline message_type type_record =
      runtime_message_type<reply_message>({.what = "reply", .of = result_name, .answers = true});
  void serialize(auto& ar) { ar(result); }
  void deliver() {
    const message_guard mine(*this);
    if (auto* target = processor::running_here().replies().find(reply)) [[likely]]
      target->accept(reply.ordinal, std::addressof(result));
  }
};

/// Sends a result to the one who asked.
template <class R>
void send_reply(std::uint32_t caller, const reply_address& reply, R&& result) {
  auto& pe = processor::running_here();
  auto& m = make_message_on<reply_message<std::remove_cvref_t<R>>>(pe, std::forward<R>(result));
  m.reply = reply;
  pe.dispatch(m, static_cast<int>(caller));
}
/// The same of what has no result.
void send_end(std::uint32_t caller, const reply_address& reply);

}  // namespace detail
}  // namespace imbrex
