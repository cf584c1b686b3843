// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include <imbrex/base/standard/duration.hpp>
#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/coro/when_any.hpp>

namespace imbrex {

/// Awaits something for at most `time` on the machine's clock: `co_await with_timeout(port.receive(3), 2s)`
/// gives a std::optional of the result. It is empty if the time has passed first; without a result type it
/// holds `nothing`. An abandoned operation behaves as in `when_any`: a value stays in its mailbox, a call
/// that was sent still runs. Exceptions of the awaited operation are thrown. The time is counted from the
/// co_await.
template <class A, class Rep, class Period>
task<std::optional<detail::storable<detail::await_result<A>>>> with_timeout(
    A awaitable, std::chrono::duration<Rep, Period> time) {
  auto first = co_await when_any(std::move(awaitable), sleep_for(time));
  if (first.index != 0) co_return std::nullopt;
  co_return std::get<0>(std::move(first.value));
}

}  // namespace imbrex
