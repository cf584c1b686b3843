// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <imbrex/base/work.hpp>

namespace imbrex {

namespace detail {

class executor_state;

/// A function posted to a PE by a thread that may have no pool.
template <class F>
struct posted_function final : work {
  explicit posted_function(F&& f) : function(std::move(f)) { type = &kind; }

  static void run(work& item) {
    const std::unique_ptr<posted_function> own(static_cast<posted_function*>(&item));
    own->function();
  }
  static void destroy(work& item) noexcept { delete static_cast<posted_function*>(&item); }
  static constexpr work_type kind{"posted function", &run, &destroy, nullptr, nullptr};

  F function;
};

bool post_item(executor_state& to, work& item);

}  // namespace detail

/// Makes a PE run functions for threads that are no PE: those of a window, of asyncio, of a library with
/// callbacks. Such threads may not call `send` and similar functions themselves. Copies refer to the same
/// executor.
///
///     auto here = imbrex::make_executor();                          // in an entry, or the main task
///     std::thread([=] { here.post([=] { imbrex::send<&view::show>(v, 3); }); });
///
/// While an executor is held, the run has no quiescence and no deadlock is reported, since more work may
/// always arrive. The PE's behaviour then depends on time, even on machines whose runs otherwise repeat
/// exactly. Any thread.
class executor {
 public:
  /// An executor without a PE; nothing can be posted.
  executor() = default;

  /// Queues the function on the PE as an item, and returns at once. Functions of one thread run in the order
  /// of posting, unless the PE shuffles its queue. An exception that leaves the function ends the run.
  /// Returns false, without calling it, if the run has ended or there is no PE.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  bool post(F&& function) const {
    if (!state_) return false;
    using posted = detail::posted_function<std::decay_t<F>>;
    auto item = std::make_unique<posted>(std::decay_t<F>(std::forward<F>(function)));
    if (!detail::post_item(*state_, *item)) return false;
    static_cast<void>(item.release());
    return true;
  }

 private:
  friend executor make_executor();

  std::shared_ptr<detail::executor_state> state_;
};

/// The executor of the calling PE. Throws imbrex::error outside a run.
executor make_executor();

}  // namespace imbrex
