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

/// Keeps threads apart that each need a processor. Linux may begin two of them on one while others are idle,
/// and it may wake a thread on the processor of the one that posted to it. That one first spins in vain until
/// it sleeps, then they take turns, and tens of milliseconds pass until the system parts them.
///
/// The threads are not bound: each keeps its affinity mask, and the system may move it at any time.
class processor_claims {
 public:
  struct times {
    /// Who has not settled for so long counts as nowhere: it may work, and the system may have moved it.
    nanoseconds claim = std::chrono::milliseconds(10);
    /// A move takes some 10 us. Where the system always puts a thread back, others need the processors.
    nanoseconds between_moves = std::chrono::milliseconds(1);
  };
  explicit processor_claims(std::size_t threads) : processor_claims(threads, times()) {}
  processor_claims(std::size_t threads, times longest);

  /// The calling thread, `thread` of 0 to `threads - 1`, runs or is about to wait awake. If it has left or is
  /// on another processor than at its last call, and another thread is there, it moves to the next of its
  /// affinity mask where none is, once in a while. It stays where there is none or the system refuses.
  void settle(std::size_t thread) noexcept;

  /// It is about to sleep. Its place is another's soon after: whoever wakes there at once has waited for it.
  void leave(std::size_t thread) noexcept;

  /// The processor on which that thread has settled last, or `nowhere`.
  int place(std::size_t thread) const noexcept;

  static constexpr int nowhere = -1;

 private:
  struct alignas(64) claim {  // its thread writes it again and again
    std::atomic<int> place = nowhere;
    std::atomic<std::int64_t> ends = 0;  ///< when others may have the place, by the steady clock, in ns
    bool is_awake = false;               ///< its thread's
    std::int64_t next_move = 0;          ///< its thread's: not before, by the steady clock, in ns
  };

  bool is_anybody_else_on(int processor, std::size_t thread) const noexcept;
  void move(std::size_t thread, int from);

  std::vector<claim> claims_;
  const times times_;
  /// Of several threads that find each other on one processor one moves at a time, so that the last stays.
  std::mutex moves_;
};

}  // namespace imbrex::detail
