// SPDX-License-Identifier: Apache-2.0
#include "apps/jacobi3d/plain_loop.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>

#include <imbrex/base/host/background_thread.hpp>

namespace jacobi3d {
namespace {

// The last thread to arrive runs the completion and opens the barrier. Waiting threads yield after a while,
// as threads may outnumber cores.
class spin_barrier {
 public:
  explicit spin_barrier(int threads) : threads_(threads) {}

  template <class Completion>
  void wait(Completion completion) {
    // acq_rel on arrival and release on opening order each thread's cells before every thread's next sweep.
    const int round = round_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
      completion();
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    for (int spins = 0; round_.load(std::memory_order_acquire) == round; ++spins)
      if (spins > 100'000) std::this_thread::yield();
  }

 private:
  const int threads_;
  alignas(64) std::atomic<int> arrived_ = 0;
  alignas(64) std::atomic<int> round_ = 0;
};

struct alignas(64) slab_change {
  double value = 0;
};

}  // namespace

plain_loop::plain_loop(const extents& grid, const initial_values& values, int threads)
    : field_(grid, {}), threads_(threads), stores_(stores_for(block_field::bytes(grid))) {
  fill(field_, values, grid, {0, 0, 0});
}

plain_loop::outcome plain_loop::run(std::int64_t iterations, bool change) {
  using clock = std::chrono::steady_clock;
  const sweep_options options{.stores = stores_, .change = change};
  const std::int64_t planes = field_.cells()[0];
  spin_barrier barrier(threads_);
  std::vector<slab_change> changes(std::size_t(threads_), slab_change{});
  clock::time_point started;
  double greatest = 0;

  std::atomic<int> start = 0;  // 1: all threads exist; -1: one could not be started
  const auto sweep_slab = [&](int thread) {
    const std::int64_t first = planes * thread / threads_, last = planes * (thread + 1) / threads_;
    start.wait(0);
    if (start.load() < 0) return;
    barrier.wait([&] { started = clock::now(); });
    for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
      changes[std::size_t(thread)].value = sweep_planes(field_, first, last, options);
      barrier.wait([&] {
        field_.flip();
        greatest = 0;
        for (const slab_change& slab : changes) greatest = std::max(greatest, slab.value);
      });
    }
  };

  {
    std::vector<std::jthread> others;
    try {
      for (int thread = 1; thread < threads_; ++thread) others.emplace_back(sweep_slab, thread);
    } catch (const std::exception& e) {
      start.store(-1);
      start.notify_all();
      if (const auto* const none = dynamic_cast<const std::system_error*>(&e))
        imbrex::throw_no_thread("of the plain loop", *none, "lower --pes, or ");
      throw;
    }
    start.store(1);
    start.notify_all();
    sweep_slab(0);
  }
  return {std::chrono::duration<double>(clock::now() - started).count(), greatest};
}

}  // namespace jacobi3d
