// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <utility>
#include <variant>

#include <imbrex/core/pe/sleep.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/coro/when_any.hpp>

namespace imbrex {

/// Awaits something, but no longer than `time` on the machine's clock: `co_await
/// with_timeout(port.receive(3), 2s)` gives a std::optional of the result, which is empty if the time has
/// passed first, and holds `nothing` of what has no result. What was given up is as in `when_any`: a value
/// stays in its mailbox, a call that was sent still runs. Throws what the awaited threw. The time is counted
/// from the co_await.
template <class A, class Rep, class Period>
task<std::optional<detail::storable<detail::await_result<A>>>> with_timeout(
    A awaitable, std::chrono::duration<Rep, Period> time) {
  auto first = co_await when_any(std::move(awaitable), sleep_for(time));
  if (first.index != 0) co_return std::nullopt;
  co_return std::get<0>(std::move(first.value));
}

}  // namespace imbrex
