// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <exception>
#include <string>
#include <utility>

#include <imbrex/coro/task.hpp>

namespace imbrex::testing {
namespace detail {

/// Keeps its argument, unless `Awaitable` is a reference.
template <class E, class Awaitable>
task<std::string> error_of_awaiting(Awaitable awaitable) {
  try {
    if constexpr (std::invocable<Awaitable&>)
      co_await awaitable();
    else
      co_await static_cast<Awaitable&&>(awaitable);
  } catch (const E& e) {
    co_return e.what();
  }
  co_return std::string();
}

}  // namespace detail

/// Awaits a call, a task or another awaitable. The result is the text of the exception of type E, or derived
/// from it, that it ends with; empty if it ends without. Other exceptions pass through.
///
///     const std::string text = co_await awaited_error_of(all[7].call<&block::run>());
///
/// A call with a wrong argument throws before there is anything to await. A function that makes the call
/// covers both:
///
///     const std::string text = co_await awaited_error_of([&] { return all[7].call<&block::resize>(-1); });
template <class E = std::exception, class Awaitable>
task<std::string> awaited_error_of(Awaitable&& awaitable) {
  return detail::error_of_awaiting<E, Awaitable>(std::forward<Awaitable>(awaitable));
}

}  // namespace imbrex::testing
