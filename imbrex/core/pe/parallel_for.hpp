// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <imbrex/core/pe/pending.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex {
namespace detail {

/// A loop whose chunks the PEs of a process take one by one. Any PE's thread.
///
/// `next_` counts the chunks that were taken, `ended_` those that have ended; who ends the last one answers.
/// `inside_` are the PEs that may be in the function: whoever takes a chunk enters before. So after `cancel`,
/// which takes all chunks away, nobody is in the function once it has been 0.
class shared_loop : public std::enable_shared_from_this<shared_loop> {
 public:
  explicit shared_loop(std::uint64_t chunks) : chunks_(chunks) {}
  shared_loop(const shared_loop&) = delete;
  shared_loop& operator=(const shared_loop&) = delete;
  virtual ~shared_loop() = default;

  /// Has the PEs of this process take chunks, and tells this one of the end.
  void begin(processor& pe, const reply_address& reply);
  /// Tells this PE of the end, of a loop that others are told of by other means.
  void answer(const processor& pe, const reply_address& reply);
  /// Takes a chunk and runs it. False if there is none any more.
  bool run_chunk();
  /// Takes all chunks that are left, and waits for those that run.
  void cancel() noexcept;

 private:
  virtual void run(std::uint64_t chunk) = 0;
  void keep_exception();
  void end_chunk();

  const std::uint64_t chunks_;
  int origin_ = 0;
  reply_address reply_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> ended_ = 0;
  std::atomic<int> inside_ = 0;
  std::mutex error_lock_;
  std::exception_ptr error_;  ///< the first; after it functions are called no more
  std::atomic<bool> has_failed_ = false;
};

template <class I, class F>
class typed_loop final : public shared_loop {
 public:
  typed_loop(I first, I last, std::uint64_t chunk, std::uint64_t chunks, F& function)
      : shared_loop(chunks), first_(first), last_(last), chunk_(chunk), function_(function) {}

 private:
  void run(std::uint64_t chunk) override {
    const auto begin = static_cast<std::uint64_t>(first_) + chunk * chunk_;
    const std::uint64_t left = static_cast<std::uint64_t>(last_) - begin;
    const std::uint64_t count = left < chunk_ ? left : chunk_;
    for (std::uint64_t i = 0; i < count; ++i) std::invoke(function_, static_cast<I>(begin + i));
  }

  const I first_;
  const I last_;
  const std::uint64_t chunk_;
  F& function_;  ///< in the frame that awaits the end
};

/// Cancels a loop whose frame goes.
struct loop_guard {
  explicit loop_guard(std::shared_ptr<shared_loop> l) : loop(std::move(l)) {}
  loop_guard(const loop_guard&) = delete;
  loop_guard& operator=(const loop_guard&) = delete;
  ~loop_guard() { loop->cancel(); }

  const std::shared_ptr<shared_loop> loop;
};

[[noreturn]] void throw_wrong_chunk(std::int64_t chunk);

}  // namespace detail

/// Calls a function for each integer from `first` to `last` - 1, in chunks of so many, on this PE and on
/// those others of its process that have nothing else to do. It is for loops of one chare that are too long
/// for its PE: several chares on each PE balance better, and need no care for threads.
///
///     co_await imbrex::parallel_for(0, rows, 16, [&](int row) { relax(row); });
///
/// Calls run side by side on several threads, so what they write must not meet. They may call `send` and its
/// like, by which a message leaves from the PE that runs the call. Between two chunks a PE runs what else has
/// come; a chunk of some 10 us costs little beside its work. The result is ready when all calls have ended.
/// An exception of one is thrown by co_await, and chunks that have not begun are left out. If the entry ends
/// before, it waits for the chunks that run. Throws imbrex::error for a chunk below 1.
template <std::integral First, std::integral Last, class F>
  requires std::invocable<F&, std::common_type_t<First, Last>>
task<> parallel_for(First first, Last last, std::int64_t chunk, F function) {
  using integer = std::common_type_t<First, Last>;
  if (chunk < 1) detail::throw_wrong_chunk(chunk);
  const auto begin = static_cast<integer>(first);
  const auto end = static_cast<integer>(last);
  if (begin >= end) co_return;
  const auto size = static_cast<std::uint64_t>(chunk);
  const std::uint64_t chunks =
      (static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin) - 1) / size + 1;
  const detail::loop_guard guard(
      std::make_shared<detail::typed_loop<integer, F>>(begin, end, size, chunks, function));
  pending<void> ended("the end of a parallel_for");
  guard.loop->begin(detail::processor::here(), ended.address());
  co_await ended;
}

}  // namespace imbrex
