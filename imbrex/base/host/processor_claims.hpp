// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <imbrex/base/clock.hpp>

namespace imbrex::detail {

/// Keeps threads apart that each need a processor. Linux may start two of them on one while others are idle.
/// It may also wake a thread on the processor of the thread that posted to it. The poster first spins in vain
/// until it sleeps, then they alternate. Tens of milliseconds pass until the system separates them.
///
/// The threads are not bound: each keeps its affinity mask, and the system may move it at any time.
class processor_claims {
 public:
  struct times {
    /// Time after which a thread that has not settled has no place: it may work, and the system may have
    /// moved it.
    nanoseconds claim = std::chrono::milliseconds(10);
    /// Time between two moves of a thread. A move takes some 10 us, and if the system always moves a thread
    /// back, other programs need the processors.
    nanoseconds between_moves = std::chrono::milliseconds(1);
  };
  explicit processor_claims(std::size_t threads) : processor_claims(threads, times()) {}
  processor_claims(std::size_t threads, times longest);

  /// Settles the calling thread, `thread` of 0 to `threads - 1`, which runs or is about to wait awake. After
  /// `leave`, or if its processor has changed since the last call, it checks for another thread there. If
  /// there is one, it moves to the next free processor of its affinity mask. It does so at most once in
  /// `between_moves`. It stays if none is free or the system refuses.
  void settle(std::size_t thread) noexcept;

  /// Announces that the thread is about to sleep. Its place is free soon after: a thread that wakes there at
  /// once has waited for it.
  void leave(std::size_t thread) noexcept;

  /// The processor on which that thread has last settled, or `nowhere`.
  int place(std::size_t thread) const noexcept;

  static constexpr int nowhere = -1;

 private:
  struct alignas(64) claim {  // aligned, since its thread writes it often
    std::atomic<int> place = nowhere;
    std::atomic<std::int64_t> ends = 0;  ///< time from which others may have the place, by the steady clock,
                                         ///< in ns
    bool is_awake = false;               ///< belongs to its thread
    std::int64_t next_move = 0;          ///< belongs to its thread: earliest time of a move, by the steady
                                         ///< clock, in ns
  };

  bool is_anybody_else_on(int processor, std::size_t thread) const noexcept;
  void move(std::size_t thread, int from);

  std::vector<claim> claims_;
  const times times_;
  /// Lets threads on one processor move one at a time, so that the last one stays.
  std::mutex moves_;
};

}  // namespace imbrex::detail
