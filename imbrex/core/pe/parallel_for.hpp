// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include <imbrex/base/quick_lock.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/coro/task.hpp>

namespace imbrex {
namespace detail {

/// A loop whose chunks the PEs of a process take one by one. Any PE's thread.
///
/// `next_` counts the chunks that were taken, `ended_` those that have ended; the PE that ends the last chunk
/// replies. `inside_` counts the PEs that may be in the function: a PE increments it before it takes a chunk.
/// `cancel` takes all remaining chunks. So once `inside_` has been 0 after that, no PE is in the function.
class shared_loop : public std::enable_shared_from_this<shared_loop> {
 public:
  explicit shared_loop(std::uint64_t chunks) : chunks_(chunks) {}
  shared_loop(const shared_loop&) = delete;
  shared_loop& operator=(const shared_loop&) = delete;
  virtual ~shared_loop() = default;

  /// Makes the PEs of this process take chunks, and notifies this PE of the end.
  void begin(processor& pe, const reply_address& reply);
  /// Notifies this PE of the end, for a loop that other PEs receive by other means.
  void answer(const processor& pe, const reply_address& reply);
  /// Takes a chunk and runs it. False if no chunk is left.
  bool run_chunk();
  /// Takes all remaining chunks, and waits for running ones.
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
  quick_lock error_lock_;
  std::exception_ptr error_;  ///< the first exception; after it no chunk calls the function
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
    for (std::uint64_t i = 0; i < count; ++i) function_(static_cast<I>(begin + i));
  }

  const I first_;
  const I last_;
  const std::uint64_t chunk_;
  F& function_;  ///< lies in the frame that awaits the end
};

/// Cancels a loop when its frame is destroyed.
struct loop_guard {
  explicit loop_guard(std::shared_ptr<shared_loop> l) : loop(std::move(l)) {}
  loop_guard(const loop_guard&) = delete;
  loop_guard& operator=(const loop_guard&) = delete;
  ~loop_guard() { loop->cancel(); }

  const std::shared_ptr<shared_loop> loop;
};

[[noreturn]] void throw_wrong_chunk(std::int64_t chunk);

}  // namespace detail

/// Calls a function for each integer from `first` to `last` - 1, in chunks of `chunk` integers. The calls run
/// on this PE and on idle PEs of its process. Meant for loops of one chare that are too long for its PE.
/// Several chares on each PE balance better, and need no care for threads.
///
///     co_await imbrex::parallel_for(0, rows, 16, [&](int row) { relax(row); });
///
/// Calls run concurrently on several threads, so they must not write to the same data. They may call `send`
/// and similar functions; the message leaves from the PE that runs the call. Between two chunks a PE runs
/// other items; the overhead of a chunk of some 10 us is small. The result is ready when all calls have
/// ended. co_await throws the exception of a call, and chunks that have not begun are skipped. If the entry
/// ends earlier, it waits for running chunks. Throws imbrex::error for a chunk below 1.
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
