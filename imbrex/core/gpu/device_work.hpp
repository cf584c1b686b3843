// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include <imbrex/core/array/send.hpp>
#include <imbrex/core/gpu/device_transfers.hpp>
#include <imbrex/core/gpu/pe_device.hpp>
#include <imbrex/coro/scope.hpp>
#include <imbrex/coro/waiter.hpp>
#include <imbrex/device/buffer.hpp>
#include <imbrex/device/event.hpp>
#include <imbrex/device/flag.hpp>
#include <imbrex/device/graph.hpp>
#include <imbrex/device/stream.hpp>
#include <imbrex/sched/device_completions.hpp>

namespace imbrex {

/// Only within messages and migrating chares. The contents are copied to the host when they cross to another
/// process.
template <class T>
struct serializer<device_buffer<T>> {
  static void serialize(writer& out, device_buffer<T>& b) { b.part()->serialize(out); }
  static void serialize(reader& in, device_buffer<T>& b) {
    detail::read_attachment(in, *b.part(), sizeof(T));
  }
};

/// Only in migrating chares. Reading allocates memory for this PE's device.
template <class T>
struct serializer<pinned_buffer<T>> {
  static void serialize(writer& out, pinned_buffer<T>& b) {
    detail::write_pinned(out, b.memory(), b.size() * sizeof(T));
  }
  static void serialize(reader& in, pinned_buffer<T>& b) { detail::read_pinned(in, b.memory(), sizeof(T)); }
};

namespace detail {

template <class T>
inline constexpr bool stays_with_device<device_buffer<T>> = true;
template <class T>
inline constexpr bool is_attachment<device_buffer<T>> = true;
template <class T>
inline constexpr bool migrates_with_chare<device_buffer<T>> = true;
template <class T>
inline constexpr bool stays_with_device<pinned_buffer<T>> = true;
template <class T>
inline constexpr bool migrates_with_chare<pinned_buffer<T>> = true;
template <class T>
inline constexpr bool stays_with_device<device_span<T>> = true;
template <class T>
inline constexpr bool stays_with_device<pinned_span<T>> = true;
template <>
inline constexpr bool stays_with_device<stream> = true;
template <>
inline constexpr bool stays_with_device<event> = true;
template <>
inline constexpr bool stays_with_device<event_pool> = true;
template <>
inline constexpr bool stays_with_device<graph> = true;
template <>
inline constexpr bool stays_with_device<flag_array> = true;
template <>
inline constexpr bool stays_with_device<device_flag> = true;

/// The awaiter of `stream::done`. Its destructor cancels the notification.
class device_waiter final : public suspension {
 public:
  explicit device_waiter(stream& s) : stream_(s) {}
  ~device_waiter() {
    if (completion_ != nullptr) device_completions::cancel(*completion_);
  }

  bool await_ready() const { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) {
    waiter_ = who;
    if (!start()) return false;
    begin(entry);
    return true;
  }
  void await_resume() {
    end();
    if (failure_) std::rethrow_exception(std::move(failure_));
  }
  std::string description() const override;
  awaited cause() const override { return {trace::wait_cause::device}; }

 private:
  bool start();

  stream& stream_;
  waiter waiter_;
  device_completions::completion* completion_ = nullptr;
  std::exception_ptr failure_;
};

}  // namespace detail

inline detail::device_waiter operator co_await(stream_end end) { return detail::device_waiter(end.of); }

/// Rejects `co_await` of a stream, with a hint at the right expression.
template <class Stream>
  requires std::is_same_v<std::remove_cvref_t<Stream>, stream>
auto operator co_await(Stream&&) {
  static_assert(std::is_void_v<Stream>, "imbrex: a stream has no end: co_await stream.done()");
  return std::suspend_never();
}

/// Sends a message to entry method or port M when all work submitted to the stream so far is complete. This
/// is the callback form of `co_await stream.done()`. Takes the arguments of `send`, evaluated now. If the
/// device fails, the run ends with the error, as no coroutine awaits it.
template <auto M, class T, class... A>
void send_when_done(stream& after, const element<T>& to, A&&... arguments) {
  if constexpr (detail::entry_fits<T, M, A&&...>()) {
    auto& pe = detail::processor::here();
    auto& m = detail::make_entry_message<T, M>(pe, std::forward<A>(arguments)...);
    m.collection = pe.number_of(to.collection());
    m.key = to.key_value();
    m.priority = to.priority();
    using message_type = std::remove_reference_t<decltype(m)>;
    const detail::device_completions::receiver sender{[](void* kept, const std::exception_ptr& failure) {
                                                        auto& sent = *static_cast<message_type*>(kept);
                                                        if (!failure)
                                                          return detail::dispatch_to_element<T>(
                                                              detail::processor::here(), sent);
                                                        sent.type->destroy(sent);
                                                        std::rethrow_exception(failure);
                                                      },
                                                      [](void* kept) noexcept {
                                                        auto& dropped = *static_cast<message_type*>(kept);
                                                        dropped.type->destroy(dropped);
                                                      },
                                                      &m};
    detail::message_guard unsent(m);
    const bool waits = detail::notify_here(after, sender) != nullptr;
    unsent.release();
    if (!waits) sender.complete(&m, nullptr);
  }
}

}  // namespace imbrex
