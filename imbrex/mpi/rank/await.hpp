// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <imbrex/coro/await_by.hpp>
#include <imbrex/coro/task.hpp>
#include <imbrex/coro/waiter.hpp>

namespace imbrex::mpi {

class rank;

/// True while the code of a rank runs on this thread.
bool is_in_rank();

/// A thing that a rank awaits. The rank destroys it if its code never goes on, as when the run fails.
class awaited_by_rank {
 public:
  virtual ~awaited_by_rank() = default;
};

/// A wait of the running rank for something of the runtime, from its beginning to its end.
class rank_wait {
 public:
  /// Throws imbrex::error unless the code of a rank runs here, outside of functions that MPI has called.
  explicit rank_wait(std::unique_ptr<awaited_by_rank> what);
  ~rank_wait();
  rank_wait(const rank_wait&) = delete;
  rank_wait& operator=(const rank_wait&) = delete;

  waiter who() const;
  scope& entry() const;
  /// Leaves the rank's stack until the waiter is resumed. Other ranks and chares of the PE run meanwhile.
  void yield() const;

 private:
  rank& of_;
};

/// Waits, in the code of a rank, for anything that an entry can co_await: a call of a chare, a reduction, a
/// timer, quiescence, a task. Returns its result, and throws its exception. The PE runs other ranks and
/// chares meanwhile. Throws imbrex::error outside of the code of a rank.
template <class A>
auto wait(A&& awaitable) {
  constexpr auto no_yield = [] {};
  using result = decltype(await_by(std::declval<std::remove_cvref_t<A>>(), std::declval<const waiter&>(),
                                   std::declval<scope&>(), no_yield));
  struct kept final : awaited_by_rank {
    explicit kept(std::remove_cvref_t<A>&& what) : its(run(std::move(what))) {}
    static task<result> run(std::remove_cvref_t<A> what) {
      if constexpr (std::is_void_v<result>) {
        co_await std::move(what);
      } else {
        result value = co_await std::move(what);
        co_return std::move(value);
      }
    }
    task<result> its;
  };
  auto what = std::make_unique<kept>(std::remove_cvref_t<A>(std::forward<A>(awaitable)));
  task<result>& its = what->its;
  const rank_wait self(std::move(what));
  return await_by(std::move(its), self.who(), self.entry(), [&self] { self.yield(); });
}

}  // namespace imbrex::mpi
