// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/inbox.hpp>
#include <imbrex/base/owner.hpp>
#include <imbrex/base/pool.hpp>
#include <imbrex/sched/executor_count.hpp>
#include <imbrex/sched/item_meter.hpp>
#include <imbrex/sched/observer.hpp>
#include <imbrex/sched/run_queue.hpp>
#include <imbrex/sched/timer.hpp>

namespace imbrex::detail {

class completion_source;
class endpoint;

/// A PE: its queue, its inbox, its timers and its memory. It is a `step()` function. The thread machine loops
/// on it; the deterministic machine calls it itself.
///
/// Everything belongs to the owner thread, except for `pe_inbox()`, into which any thread posts, and
/// `running()`, which any thread may read.
class scheduler {
 public:
  /// `shared`: the pool of all PEs of one thread, which never sleep alone; it outlives them. Null: the PE
  /// has a pool and a thread of its own.
  scheduler(int pe, const clock& time, std::optional<std::uint64_t> shuffle, pool* shared = nullptr);
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;
  virtual ~scheduler();

  /// The number of a scheduler that is not a PE.
  static constexpr int no_pe = -1;

  /// The PE that this thread runs; null on a thread that runs none.
  static scheduler* current() { return current_; }

  /// Makes a PE this thread's as long as it lives.
  class activation {
   public:
    explicit activation(scheduler& s)
        : scheduler_(current_),
          pool_(pool::set_current(s.memory_.used)),
          observers_(observer_list::set_here(s.element_observers())) {
      current_ = &s;
    }
    ~activation() {
      observer_list::set_here(observers_);
      pool::set_current(pool_);
      current_ = scheduler_;
    }
    activation(const activation&) = delete;
    activation& operator=(const activation&) = delete;

   private:
    scheduler* scheduler_;
    pool* pool_;
    const observer_list* observers_;
  };

  int pe() const { return pe_; }
  nanoseconds now() const { return clock_.now(); }
  inbox& pe_inbox() { return inbox_; }
  /// The pool of the PE's messages; for its thread, which must have activated the PE.
  pool& memory() { return *memory_.used; }

  /// Queues work made by this PE for itself.
  void push(work& item) { queue_.push(item); }
  /// Queues an item where nothing is shuffled.
  void push_plain(work& item) { queue_.push_in_order(item); }
  /// True unless the queue is shuffled.
  bool is_in_order() const { return queue_.is_in_order(); }

  void add_timer(timer& t) {
    timers_.add(t);
    has_sources_ = true;
  }
  void remove_timer(timer& t) { timers_.remove(t); }
  bool has_timers() const { return !timers_.empty(); }
  std::optional<nanoseconds> next_deadline() const;

  executor_count& executors() { return executors_; }
  const executor_count& executors() const { return executors_; }

  /// Makes timers run within microseconds, at the cost of some processor time for each; before the PE runs.
  void be_punctual() {
    punctual_ = true;
    turns_skipped_ = 0;
  }
  bool is_punctual() const { return punctual_; }

  /// Sets the minimum length of a sleep, for machines where only sleeps advance the time. So an entry that
  /// gives way repeatedly reaches the time that it waits for. Before the PE runs.
  void set_shortest_sleep(nanoseconds time) { shortest_sleep_ = time; }
  nanoseconds shortest_sleep() const { return shortest_sleep_; }

  /// The PE's connection to other processes; before it runs.
  void attach(endpoint& network) {
    endpoint_ = &network;
    has_sources_ = true;
  }
  endpoint* network() const { return endpoint_; }

  /// Sets the clock, in simulated time, to which the PE's work is charged; it is the one given to the
  /// constructor. Before the PE runs.
  void attach(local_clock& charged) { charged_ = &charged; }
  /// Charges `time` to the PE, in simulated time.
  void charge(nanoseconds time) {
    if (charged_ != nullptr) charged_->charge(time);
  }

  /// Adds an observer; before the PE runs.
  void attach(observer& o, observed what = observed::everything);
  /// The observers of all events; null if there are none.
  const observer_list* observers() const { return observers_.if_everything; }
  /// The observers of items, which include those of all events; null if there are none.
  const observer_list* item_observers() const { return observers_.if_items; }
  /// The observers of the elements' events, which include those of all events; null if there are none.
  const observer_list* element_observers() const { return observers_.if_elements; }
  /// All observers.
  const observer_list& thread_observers() const { return observers_.thread; }

  /// Sets the meter of the items; before the PE runs.
  void attach(item_meter& meter) { meter_ = &meter; }
  /// Runs an item for its meter, which may have found the addressee. `MayBeObserved`: false if there are no
  /// observers of items.
  template <bool MayBeObserved = true>
  [[gnu::always_inline]] void run_measured(work& item, chare_header* addressee = nullptr) {
    const work_type* const type = item.type;
    running_.store(type, std::memory_order_relaxed);
    item_ = &item;
    if (MayBeObserved && item_observers() != nullptr) [[unlikely]]
      return run_observed(item);
    addressee != nullptr ? type->run_at(item, *addressee) : type->run(item);
  }

  /// Sets the source of the device's completions; before the PE runs.
  void attach(completion_source& device) {
    device_ = &device;
    has_sources_ = true;
  }
  completion_source* completions() const { return device_; }

  /// Polls the network and the device. True if something arrived.
  bool poll();

  /// Queues an item that arrived from another process as `bytes` bytes.
  void push_arrived(work& item, std::size_t bytes);

  /// Takes items from the inbox and runs one item. False if there was none, or if too many bytes wait to
  /// leave for other processes.
  [[gnu::always_inline]] bool step() {
    work* const item = take_item();
    if (item == nullptr) [[unlikely]]
      return false;
    run_taken(*item);
    return true;
  }
  /// The first half of a step: removes the item to run now. Null where `step` is false.
  [[gnu::always_inline]] work* take_item() {
    if (inbox_.has_items()) [[unlikely]]
      take_in();
    if (has_sources_ && !look_at_sources()) return nullptr;
    work* const item = queue_.pop();
    if (item == nullptr) [[unlikely]]
      end_items();
    return item;
  }
  /// The second half of a step: runs the item.
  [[gnu::always_inline]] void run_taken(work& item) {
    run_item(item);
    if (!after_.empty()) [[unlikely]]
      run_after();
  }

  /// True if a step would find nothing to do now.
  bool idle() const { return queue_.empty() && !inbox_.has_items(); }

  /// The items that run once the current one has returned: actions that must not happen during an entry.
  work_queue& after() { return after_; }

  /// The type of the running or last item; null if the PE does something else. Any thread.
  const work_type* running() const { return running_.load(std::memory_order_relaxed); }
  /// Notes that the PE runs no item any more. Any thread, once the PE has ended.
  void end_items() { running_.store(nullptr, std::memory_order_relaxed); }
  /// The running or last item, which may have been consumed by now.
  const work* running_item() const { return item_; }

  /// Returns memory of other PEs to them; before the PE sleeps.
  void flush() { memory_.used->flush(); }

  /// Destroys all work that was not run, including timers.
  void discard_work() noexcept;

 private:
  friend class observed_sends;
  friend const run_queue& queue_of(const scheduler& pe);
  struct receipt;
  /// Stands for a meter where only observers are attached.
  class no_meter final : public item_meter {
   public:
    explicit no_meter(scheduler& owner) : owner_(owner) {}
    void run(work& item) override { owner_.run_measured(item); }

   private:
    scheduler& owner_;
  };
  static constexpr unsigned turns_between_polls = 15;
  static constexpr unsigned turns_between_polls_when_full = 63;
  static constexpr std::size_t bytes_a_receipt = std::size_t{1} << 20U;
  /// Bytes added for each message from another process, so that many small messages count.
  static constexpr std::size_t bytes_beside_payload = 256;

  void run_item(work& item) {
    if (meter_ != nullptr) [[unlikely]]
      return meter_->run(item);
    const work_type* const type = item.type;
    running_.store(type, std::memory_order_relaxed);
    item_ = &item;
    type->run(item);
  }
  [[gnu::noinline]] void run_observed(work& item);
  void take_in();
  [[gnu::noinline]] void push_receipt();
  /// False if nothing must run now.
  bool look_at_sources();
  bool exchange();
  void look_at_device();
  void take_due_timers();
  void run_after();

  static inline constinit thread_local scheduler* current_ = nullptr;

  const int pe_;
  const clock& clock_;
  unsigned turns_ = 0;
  unsigned turns_skipped_ = 63;  // turns between readings of the clock
  bool punctual_ = false;
  nanoseconds shortest_sleep_{0};
  local_clock* charged_ = nullptr;
  item_meter* meter_ = nullptr;  ///< not null if there are observers
  endpoint* endpoint_ = nullptr;
  completion_source* device_ = nullptr;
  executor_count executors_;
  bool has_sources_ = false;  // true if it has sources of work besides the inbox: an endpoint, a device,
                              // timers
  unsigned turns_to_poll_ = 0;
  std::size_t unread_ = 0;       // approximate bytes from other processes in the queue
  std::size_t unreceipted_ = 0;  // bytes of `unread_` without a receipt
  unsigned arrived_ = 0;         // items of the last poll of the network
  int last_unreceipted_ = first_priority;
  std::atomic<const work_type*> running_ = nullptr;
  const work* item_ = nullptr;
  no_meter no_meter_{*this};
  observer_levels observers_;
  work_queue after_;
  run_queue queue_;
  timer_heap timers_;
  struct {
    owner<pool> own{};  ///< null if the pool is shared
    pool* used = nullptr;
  } memory_;
  inbox inbox_;
};

/// The queued items of a PE, for reports. On its thread.
inline const run_queue& queue_of(const scheduler& pe) { return pe.queue_; }

}  // namespace imbrex::detail
