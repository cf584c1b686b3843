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

#include <imbrex/base/owner.hpp>
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

/// The state of a `pending` without its result; belongs to the PE that will get the result.
class pending_base : public reply_target {
 public:
  void fail(std::uint32_t, carried_exception why) final;
  void abandon() noexcept final;

  /// Called when the owner gives up the result. True if the object can be destroyed. On another thread than
  /// its PE's it must live until the end of the run, since a reply may still arrive. The end of the run then
  /// destroys it.
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
  /// Registers the only awaiter.
  void claim() {
    if (std::exchange(awaited_, true)) [[unlikely]]
      throw_not_to_be_awaited();
  }
  /// Throws imbrex::error if this is not the PE on which the object was made: then its entry has migrated.
  void check_pe() const;
  bool ready() const { return ready_; }
  /// True if a result is there, not an exception.
  bool has_result() const { return ready_ && !error_; }
  /// Registers the waiter, which belongs to `entry`. False if the result is ready: then the waiter continues
  /// at once.
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
  /// Called when the PE's memory is freed before this object.
  virtual void outlive_pe() noexcept = 0;

  /// Opens a reply address; called by the most derived class.
  void open(processor& pe) { address_ = pe.replies().open(*this); }
  /// Called when the result or an exception has arrived.
  void arrived() {
    ready_ = true;
    tell_part(this, 0);
    if (waiter_) waiter_.resume();
  }
  /// Called when the result is taken; throws the exception that arrived instead.
  void check() {
    tell_complete(this, 0);
    if (error_) [[unlikely]]
      rethrow();
  }

 private:
  bool renounce_elsewhere() noexcept;
  /// Reports an exception that was not awaited, which ends the run.
  void tell_unawaited() noexcept;
  [[noreturn]] void throw_not_to_be_awaited() const;
  [[noreturn]] void rethrow();

  const scheduler* pe_;  ///< the PE that made it; the address of no PE once the run is over
  const char* what_;
  const message_type* entry_;
  reply_address address_;
  struct drop_error {
    void operator()(carried_exception* e) const noexcept;
  };
  owner<carried_exception, drop_error> error_;  ///< the received exception; null if there is none
  scope* entry_that_waits_ = nullptr;           ///< the waiting entry, to which the exception's
                                                ///< thrower is reported
  bool ready_ = false;
  bool awaited_ = false;
  bool renounced_ = false;  ///< renounced by another thread; read at the end of the run
  waiter waiter_;
};

/// Fails the run: a second result has arrived, which only a promise can cause.
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

/// Waits for a pending state, without its result.
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

/// A future result: of a call, a reduction, quiescence. The request was sent when this object was made.
/// co_await it once, whenever the result is needed. An exception of the other side is thrown there. Belongs
/// to the PE and the run that it was made in. Destroying the object renounces the result, but an exception
/// that is not awaited ends the run. An object kept longer than its run may be destroyed at any time.
template <class R>
class [[nodiscard("co_await the result, or use send where none is wanted")]] pending {
  static_assert(!detail::is_view<R>,
                "imbrex: a span only shows what lies with the chare that returns it: return a value, such as "
                "std::vector");

 public:
  using result_type = R;  ///< type that `co_await` gives

  /// For the runtime: `what` and `entry` describe it in a deadlock report.
  explicit pending(const char* what, const detail::message_type* entry = nullptr)
      : pending(detail::processor::here(), what, entry) {}
  /// Like the constructor above, for a known PE: the one that runs here.
  pending(detail::processor& pe, const char* what, const detail::message_type* entry)
      : state_(new(pe) detail::pending_state<R>(pe, what, entry)) {}

  /// The address to which the result is to be sent.
  const detail::reply_address& address() const { return state_->address(); }

  /// True if co_await would not suspend.
  bool ready() const { return state_->ready(); }

  /// Throws imbrex::error when awaited a second time, and after the end of its run.
  auto operator co_await() const {
    state_->claim();
    return detail::pending_awaiter<R>(*state_);
  }

 private:
  detail::owner<detail::pending_state<R>, detail::pending_deleter<R>> state_;
};

namespace detail {

/// A reply with a result. `collection` is unused.
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
    const message_guard guard(*this);
    if (auto* target = processor::running_here().replies().find(reply)) [[likely]]
      target->accept(reply.ordinal, std::addressof(result));
  }
};

/// Sends a result to the caller.
template <class R>
void send_reply(std::uint32_t caller, const reply_address& reply, R&& result) {
  auto& pe = processor::running_here();
  auto& m = make_message_on<reply_message<std::remove_cvref_t<R>>>(pe, std::forward<R>(result));
  m.reply = reply;
  pe.dispatch(m, static_cast<int>(caller));
}
/// Notifies the caller of the end of a call without a result.
void send_end(std::uint32_t caller, const reply_address& reply);

}  // namespace detail
}  // namespace imbrex
