// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <imbrex/base/host/descriptor.hpp>
#include <imbrex/base/host/processor_claims.hpp>
#include <imbrex/net/network.hpp>
#include <imbrex/sched/idle_spin.hpp>
#include <imbrex/sched/scheduler.hpp>
#include <imbrex/sched/settings.hpp>
#include <imbrex/sched/wake_margin.hpp>

namespace imbrex::detail {

/// Runs each PE on a thread of its own: step, spin for about as long as a wake costs here, park.
///
/// Quiescence: all PEs are parked without timers and there is no unread post. `sleepers_` counts, in one
/// word, the PEs that have announced their sleep and the ends of sleeps. A PE that finds the count full
/// checks every inbox. It then marks itself as awake in `sleepers_`, provided that the word has not changed.
/// So no PE woke between the two, and any post was visible in an inbox. Only one of several checking PEs may
/// report. It counts as awake while it reports, since its posts may be sent and run before it returns. The
/// last PE to sleep finds nothing moving, so quiescence is not missed. All these operations are sequentially
/// consistent.
///
/// If each PE has a processor to itself and is not bound, a PE that finds another on its processor moves.
///
/// A punctual PE asks to be woken before a timer is due, by the usual delay of its sleeps. It waits for the
/// rest awake.
class thread_machine {
 public:
  /// The receiver of the machine's reports.
  class listener {
   public:
    /// The counts of messages exchanged with other processes. Called while all PEs sleep.
    virtual network::counts counted() const { return {}; }
    /// Reports quiescence: nothing runs, nothing is queued, no timer is set, and `exchanged` was the result
    /// of `counted`. Called by one PE's thread while all others sleep, until the first post or arrival. False
    /// if it had no effect: then that PE sleeps, too.
    virtual bool quiet(const network::counts& exchanged) = 0;
    /// An exception left a work item that has no other receiver for it.
    virtual void on_uncaught(int pe) noexcept = 0;

   protected:
    ~listener() = default;
  };

  /// `may_spin`: no other PE has to wait for a processor meanwhile.
  thread_machine(std::span<scheduler* const> pes, const thread_settings& settings, bool may_spin,
                 listener& events);
  /// Waits for the threads, if they have not been finished.
  ~thread_machine();
  thread_machine(const thread_machine&) = delete;
  thread_machine& operator=(const thread_machine&) = delete;

  /// The calls of the thread that waits for the PEs.
  struct pauses {
    std::function<void()> now_and_then{};  ///< called several times a second, if set
    std::function<void()> attend{};        ///< called after `interrupt`, and while `descriptor` is readable
    int descriptor = -1;
  };

  /// Runs until `stop`. Until then this thread makes the calls of `meanwhile`. Returns the PEs still busy
  /// after the time that `grace` then allows; empty if all have come to rest. Times for which the process was
  /// stopped do not count. The threads of the PEs stay, for `finish`.
  std::vector<int> run(const std::function<std::chrono::milliseconds()>& grace,
                       const pauses& meanwhile = {.now_and_then = {}, .attend = {}, .descriptor = -1});

  /// True from `run` to `finish`, unless a PE was busy.
  bool has_threads() const { return !threads_.empty(); }
  /// Makes each PE's thread call `last` for its PE, one after the other, and end. After `run`, if no PE was
  /// busy.
  void finish(const std::function<void(scheduler& pe)>& last);

  /// Ends the run. Any thread, any number of times.
  void stop();
  bool stopping() const { return stopping_.load(std::memory_order_acquire); }
  /// Makes the thread that waits for the PEs call `attend`. Callable in a handler of a signal.
  void interrupt() noexcept;

 private:
  void run_thread(std::size_t place);
  /// True if `attend` may have something to do.
  bool wait_for_news(const pauses& meanwhile) const;
  void loop(scheduler& pe, std::size_t place);
  /// `vain_looks`: number of unsuccessful polls in a row while the network cannot announce anything.
  void wait_for_work(scheduler& pe, wake_margin& margin, int& vain_looks);
  /// Sleeps after a park.
  static void sleep(scheduler& pe, std::optional<nanoseconds> at_most);
  void wait_awake(scheduler& pe, nanoseconds deadline) const;
  bool spin(scheduler& pe, std::size_t place);
  /// The state of a PE that may report quiescence.
  struct claim {
    network::counts exchanged;
    std::uint64_t sleepers;  ///< value of `sleepers_` since the claim
  };
  std::optional<claim> claim_quiet();

  std::vector<scheduler*> pes_;
  std::vector<work> nudges_;  // one for each PE, posted by stop() to end its sleep
  listener& listener_;
  thread_settings::binding bind_;
  const bool keeps_apart_;
  processor_claims claims_;
  const bool spins_;
  idle_spin spin_;
  std::atomic<bool> stopping_ = false;
  static constexpr std::uint64_t one_sleeper = 1;
  static constexpr std::uint64_t one_wake = std::uint64_t{1} << 32U;
  std::atomic<std::uint64_t> sleepers_ = 0;

  descriptor news_;  ///< an eventfd that ends a wait of the thread that waits for the PEs
  std::mutex ends_lock_;
  std::condition_variable ends_;
  std::vector<bool> ended_;
  std::vector<std::thread> threads_;
  /// Guarded by the lock: the threads' last call, once it is set, and the index of the PE whose turn it is.
  const std::function<void(scheduler& pe)>* last_ = nullptr;
  std::size_t turn_ = 0;
};

}  // namespace imbrex::detail
