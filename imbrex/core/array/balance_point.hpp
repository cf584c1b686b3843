// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <tuple>
#include <utility>

#include <imbrex/core/array/collection.hpp>
#include <imbrex/core/array/send.hpp>
#include <imbrex/coro/waiter.hpp>

namespace imbrex {
namespace detail {

/// True if the chare can leave, since the waiting entry is its only suspended one, or is to stop here.
/// Otherwise the chare stays if another chare has requested the migration. Throws imbrex::error if the chare
/// itself has requested it, or if the entry waits in a function that it called.
bool check_balance_point(const scope& entry, const waiter& who);

/// Lets the chare leave, or stops the entry. `restart` begins the entry anew.
void pass_balance_point(const waiter& who, scope& entry, message& restart);

/// Counts the balance point for the PE's load meter.
void count_balance_point(chare_header& element);

template <class T, auto Entry, class... A>
class [[nodiscard("co_await balance_point")]] balance_point_awaiter {
 public:
  balance_point_awaiter(chare_header& e, std::tuple<A...> arguments)
      : element_(e), arguments_(std::move(arguments)) {}

  bool await_ready() const {
    if (element_.home->pe().loads() != nullptr) [[unlikely]]
      count_balance_point(element_);
    return element_.destination < 0 && !element_.dying;
  }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> waiting) {
    return suspend(waiter(waiting), waiting.promise().entry());
  }
  bool suspend(const waiter& who, scope& entry) {
    if (element_.dying) return true;  // the destruction that is queued ends the entry here
    if (!check_balance_point(entry, who)) return false;
    auto& restart = std::apply(
        [this](auto&... a) -> auto& {
          return make_entry_message<T, Entry>(element_.home->pe(), std::move(a)...);
        },
        arguments_);
    const auto& request = *static_cast<message*>(entry.request);
    restart.collection = request.collection;
    restart.key = static_cast<element_header<typename T::index_type>&>(element_).key;
    restart.origin = request.origin;
    restart.reply = request.reply;
    restart.bind(element_.born);
    restart.may_find_none = !request.reply;  // the restarted entry ends with the element, as other suspended
                                             // entries do
    pass_balance_point(who, entry, restart);
    return true;
  }
  void await_resume() const noexcept {}

 private:
  chare_header& element_;
  std::tuple<A...> arguments_;
};

}  // namespace detail

template <class Derived, class Index>
template <auto Entry, class... A>
auto chare<Derived, Index>::balance_point(A&&... arguments) {
  if constexpr (!detail::check_migratable<Derived>()) {
    return std::suspend_never();
  } else if constexpr (!detail::entry_fits<Derived, Entry, A&&...>()) {
    return std::suspend_never();
  } else if constexpr (detail::lacks_sender<Entry, A...>) {
    static_assert(
        !detail::lacks_sender<Entry, A...>,
        "imbrex: an entry that wants to know the sender is given the one that it has at a balance point");
    return std::suspend_never();
  } else {
    return detail::balance_point_awaiter<Derived, Entry, std::decay_t<A>...>(
        detail::header_of(*this), std::tuple<std::decay_t<A>...>(std::forward<A>(arguments)...));
  }
}

}  // namespace imbrex
