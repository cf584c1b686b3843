// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <imbrex/base/work.hpp>

namespace imbrex {

namespace detail {

class executor_state;

/// A function on its way to a PE, from a thread that may have no pool.
template <class F>
struct posted_function final : work {
  explicit posted_function(F&& f) : function(std::move(f)) { type = &kind; }

  static void run(work& item) {
    const std::unique_ptr<posted_function> own(static_cast<posted_function*>(&item));
    std::invoke(own->function);
  }
  static void destroy(work& item) noexcept { delete static_cast<posted_function*>(&item); }
  static constexpr work_type kind{"posted function", &run, &destroy, nullptr, nullptr};

  F function;
};

bool post_item(executor_state& to, work& item);

}  // namespace detail

/// Has a PE run functions for threads that are no PE: those of a window, of asyncio, of a library that calls
/// back. Such threads may not call `send` and its like themselves. A copy is another name of the same.
///
///     auto here = imbrex::make_executor();                          // in an entry, or the main task
///     std::thread([=] { here.post([=] { imbrex::send<&view::show>(v, 3); }); });
///
/// As long as one is held the run has no quiescence, and nobody waits in vain, since more may always come.
/// What the PE does depends on time then, also on machines whose runs repeat exactly without it. Any thread.
class executor {
 public:
  /// One of no PE, by which nothing can be posted.
  executor() = default;

  /// Has the function run on the PE, as an item of its queue, and returns at once. Functions of one thread
  /// run in the order in which they were posted, unless the PE shuffles its queue. An exception that leaves
  /// one ends the run. False if the run has ended, or there is no PE: then it is not called.
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

/// The executor of the PE that this runs on. Throws imbrex::error outside a run.
executor make_executor();

}  // namespace imbrex
