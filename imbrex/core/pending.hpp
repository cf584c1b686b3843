// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <imbrex/core/carried_exception.hpp>
#include <imbrex/core/processor.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/when_all.hpp>

namespace imbrex {

template <class R>
class pending;

namespace detail {

std::string describe_pending(const char* what, const message_type* entry);
[[noreturn]] void throw_awaited_twice(const std::string& description);

/// What a `pending` waits for, on the PE that will get it.
template <class R>
class pending_state final : public result_target<storable<R>> {
 public:
  pending_state(const char* what, const message_type* entry) : what_(what), entry_(entry) {
    address_ = processor::here().replies().open(*this);
  }
  ~pending_state() { processor::here().replies().close(address_); }

  static void* operator new(std::size_t bytes) { return pool::allocate(bytes); }
  static void operator delete(void* p, std::size_t bytes) noexcept { pool::release(p, bytes); }

  void accept(std::uint32_t, storable<R>&& result) override {
    value_.emplace(std::move(result));
    tell_part(this, 0);
    if (waiter_) waiter_.resume();
  }
  void fail(std::uint32_t, std::exception_ptr why) override {
    error_ = std::move(why);
    tell_part(this, 0);
    if (waiter_) waiter_.resume();
  }

  const reply_address& address() const { return address_; }
  /// Its one awaiter has come.
  void claim() {
    if (std::exchange(awaited_, true)) throw_awaited_twice(description());
  }
  bool ready() const { return value_.has_value() || error_ != nullptr; }
  void resume_when_ready(std::coroutine_handle<> waiter) { waiter_ = waiter; }
  storable<R> take() {
    tell_complete(this, 0);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return std::move(*value_);
  }
  std::string description() const { return describe_pending(what_, entry_); }

 private:
  const char* what_;
  const message_type* entry_;
  reply_address address_;
  std::optional<storable<R>> value_;
  std::exception_ptr error_;
  bool awaited_ = false;
  std::coroutine_handle<> waiter_;
};

template <class R>
class pending_awaiter final : public suspension {
 public:
  explicit pending_awaiter(pending_state<R>& state) : state_(state) {}

  bool await_ready() const { return state_.ready(); }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> waiter) {
    begin(waiter.promise().entry());
    state_.resume_when_ready(waiter);
  }
  R await_resume() {
    end();
    if constexpr (std::is_void_v<R>) {
      state_.take();
    } else {
      return state_.take();
    }
  }
  std::string description() const override { return state_.description(); }
  awaited cause() const override { return {trace::wait_cause::call}; }

 private:
  pending_state<R>& state_;
};

}  // namespace detail

/// A result that is on its way: of a call, a reduction, quiescence. It was asked for when this object was
/// made; co_await it, once, whenever the result is wanted. An exception on the other side is thrown there.
/// Belongs to the PE it was made on; whoever destroys it renounces the result.
template <class R>
class [[nodiscard("co_await the result, or use send where none is wanted")]] pending {
 public:
  using result_type = R;

  /// For the runtime: `what` and `entry` describe it in a deadlock report.
  explicit pending(const char* what, const message_type* entry = nullptr)
      : state_(std::make_unique<detail::pending_state<R>>(what, entry)) {}

  /// Where the result is to be sent.
  const reply_address& address() const { return state_->address(); }

  /// True if co_await would not suspend.
  bool ready() const { return state_->ready(); }

  /// Throws imbrex::error the second time.
  auto operator co_await() const {
    state_->claim();
    return detail::pending_awaiter<R>(*state_);
  }

 private:
  std::unique_ptr<detail::pending_state<R>> state_;
};

namespace detail {

/// An answer. `collection` has no meaning.
template <class R>
struct reply_message : message {
  R result{};

  reply_message() = default;
  explicit reply_message(R&& r) : result(std::move(r)) {}

  static inline message_type type_record = runtime_message_type<reply_message>();
  void serialize(auto& ar) { ar(result); }
  void deliver() {
    const message_guard mine(*this);
    if (auto* target = processor::here().replies().find(reply))
      static_cast<result_target<R>*>(target)->accept(reply.ordinal, std::move(result));
  }
};

/// Sends a result to the one who asked.
template <class R>
void send_reply(std::uint32_t caller, const reply_address& reply, R&& result) {
  auto& m = make_message<reply_message<std::remove_cvref_t<R>>>(std::forward<R>(result));
  m.reply = reply;
  processor::here().dispatch(m, static_cast<int>(caller));
}

/// Sends an exception to the one who asked; if nobody waits for it there, the run ends with `who` and its
/// text.
void send_failure(std::uint32_t caller, const reply_address& reply, const std::string& who,
                  std::exception_ptr why);

}  // namespace detail
}  // namespace imbrex
