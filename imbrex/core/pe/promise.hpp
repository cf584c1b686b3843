// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <imbrex/base/type_name.hpp>
#include <imbrex/core/message/argument.hpp>
#include <imbrex/core/message/durable_names.hpp>
#include <imbrex/core/message/shown_type.hpp>
#include <imbrex/core/pe/pending.hpp>

namespace imbrex {

namespace detail {

/// The waiter for a promised result; null if it has given up. Fails the run if the result has arrived
/// already.
reply_target* promised(processor& pe, const reply_address& reply);

/// The result of a promise; it is set once.
template <class R>
struct promised_result final : message {
  storable<R> value{};

  promised_result() = default;
  explicit promised_result(storable<R>&& v) : value(std::move(v)) {}

  static inline message_type type_record =
      runtime_message_type<promised_result>({"promised result", shown_type<R>::name});
  void serialize(auto& ar) {
    check_serializable<storable<R>>();
    ar(value);
  }
  void deliver() {
    const message_guard guard(*this);
    auto* const target = promised(processor::here(), reply);
    if (target != nullptr) target->accept(0, std::addressof(value));
  }
};

/// The mark of this run in promises, and its check. Throws imbrex::error for a promise of another run, and
/// for an empty one.
std::uint64_t mark_of_promise(const processor& pe);
void check_promise(const processor& pe, std::uint64_t mark);
/// Throws imbrex::error if a promise that stands for a result is saved for another run.
void check_unsaved_promise(std::uint64_t mark, std::string_view type);

}  // namespace detail

template <class R>
class promise;

/// Makes a result that is set by hand: the promise, which may be copied and sent, and the `pending` to await
/// here. Any holder of the promise sets the result once, from any chare:
///
///     auto [promise, result] = imbrex::make_promise<double>();
///     imbrex::send<&worker::begin>(workers[3], promise);
///     const double value = co_await result;
template <class R = void>
std::pair<promise<R>, pending<R>> make_promise();

namespace detail {

/// `what`: the description of the result in reports; it must live as long as the run.
template <class R>
std::pair<imbrex::promise<R>, pending<R>> named_promise(const char* what);

}  // namespace detail

/// The promise of a result to the caller of `make_promise`. Using a default-constructed promise throws
/// imbrex::error.
template <class R = void>
class promise {
  static_assert(!detail::is_view<R> && !std::is_reference_v<R>,
                "imbrex: a promise is of a value: a span or reference shows what lies elsewhere");

 public:
  promise() = default;

  /// Makes the result ready; the value is converted as an argument of an entry is. A second call ends the
  /// run, unless the waiter has given up. Throws imbrex::error if the promise belongs to another run.
  template <class V = R>
    requires(!std::is_void_v<R>)
  void set_value(V&& value) const {
    if constexpr (detail::check_conversion<1, V&&, R>()) {
      detail::check_integer<R>("promise", "set_value", 1, value);
      send(detail::storable<R>(std::forward<V>(value)));
    }
  }
  void set_value() const
    requires std::is_void_v<R>
  {
    send(detail::nothing{});
  }
  /// Makes the result an exception, which the waiter's co_await throws. If the result is not awaited any
  /// more, the exception ends the run.
  void set_exception(std::exception_ptr why) const {
    auto& pe = detail::processor::here();
    detail::check_promise(pe, mark_);
    detail::send_failure(pe_, reply_, "a promise", detail::carried_exception(std::move(why)));
  }

  void serialize(auto& ar) {
    if (detail::names_of(ar) != nullptr) [[unlikely]]
      return detail::check_unsaved_promise(mark_, type_name<promise>());
    ar(mark_, pe_, reply_.slot, reply_.generation);
  }

 private:
  friend std::pair<promise, pending<R>> detail::named_promise<R>(const char* what);

  void send(detail::storable<R>&& value) const {
    auto& pe = detail::processor::here();
    detail::check_promise(pe, mark_);
    auto& m = detail::make_message<detail::promised_result<R>>(std::move(value));
    m.reply = reply_;
    pe.dispatch(m, static_cast<int>(pe_));
  }

  std::uint64_t mark_ = 0;
  std::uint32_t pe_ = 0;
  detail::reply_address reply_;
};

namespace detail {

template <class R>
std::pair<imbrex::promise<R>, pending<R>> named_promise(const char* what) {
  auto& pe = processor::here();
  std::pair<imbrex::promise<R>, pending<R>> both(imbrex::promise<R>(), pending<R>(pe, what, nullptr));
  both.first.mark_ = mark_of_promise(pe);
  both.first.pe_ = static_cast<std::uint32_t>(pe.pe());
  both.first.reply_ = both.second.address();
  return both;
}

}  // namespace detail

template <class R>
std::pair<promise<R>, pending<R>> make_promise() {
  return detail::named_promise<R>("the result of a promise");
}

}  // namespace imbrex
