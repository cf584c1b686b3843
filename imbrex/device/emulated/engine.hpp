// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/base/moment_heap.hpp>
#include <imbrex/base/random.hpp>
#include <imbrex/device/backend.hpp>
#include <imbrex/device/emulated/device_list.hpp>
#include <imbrex/device/emulated/operation_listener.hpp>
#include <imbrex/device/emulated/options.hpp>
#include <imbrex/device/kernel.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/device/node_links.hpp>

namespace imbrex::emulated {

struct operation;

/// The result of an operation for its waiters. `done` is stored last, with release; the other members belong
/// to the engine.
struct completion {
  std::atomic<bool> done{false};
  operation* producer = nullptr;  ///< null once it is done
  nanoseconds visible{0};         ///< time from which the host may see it
  std::uint32_t number = 0;       ///< given by an `operation_listener`
};
using completion_ref = std::shared_ptr<completion>;

enum class operation_kind : std::uint8_t {
  join,  ///< only waits for its predecessors
  kernel,
  to_device,
  from_device,
  peer,  ///< copies from another device, over links
  host_function,
  write_value,
  wait_value
};

/// The transfer of a copy.
struct copied_data {
  std::size_t bytes = 0;
  int from = 0;  ///< source device of a peer copy
  int to = 0;    ///< destination device of a peer copy
};

/// The numbers of a kernel that its time follows from.
struct kernel_amount {
  work_size size;
  bool in_graph = false;  ///< starts as kernels of a graph do
};

/// An operation as a stream submits it and a graph keeps it.
struct task {
  operation_kind kind = operation_kind::join;
  stream_priority priority = stream_priority::normal;
  std::shared_ptr<const std::string> owner;
  std::string_view what = "join";  ///< name for errors
  std::function<void()> body;      ///< null: no effect
  nanoseconds latency{0};          ///< time in which it does not use the device
  double work = 0;                 ///< nanoseconds of the whole device, or of one copy engine
  double share = 1;                ///< largest share of the device that it can use
  std::atomic<std::uint32_t>* word = nullptr;
  std::uint32_t value = 0;
  std::uint32_t stream = 0;  ///< number of its stream
  copied_data copy;
  kernel_amount amount;
};

/// The times of an operation.
struct operation_times {
  nanoseconds earliest{0};  ///< earliest start
  nanoseconds begun{0};
  nanoseconds visible{0};  ///< time from which the host may see its last predecessor
};
/// The part of a running operation that is still to be done.
struct operation_progress {
  double left = 0;  ///< remaining part of `work`
  double speed = 0;
  bool time_over = false;
  bool body_over = false;
};

/// An unfinished operation. Its states, in order:
///
///     submitted   `unmet` predecessors are not done
///     armed       its start may lie in the future: in `timers_`
///     waiting     for a place among the kernels, a copy engine, the host functions' thread, a value
///     running     its time passes, and its body is run; it ends when both are over
struct operation : task {
  int device = 0;
  std::size_t unmet = 0;
  std::vector<operation*> dependents;
  completion_ref end;
  operation_times times;
  std::uint64_t rank = 0;  ///< number in the order in which operations become ready
  operation_progress progress;
};

/// Memory of operations, which are reused.
class operation_pool {
 public:
  operation& make();
  void recycle(operation& op);
  bool has_unfinished() const { return unused_.size() != all_.size(); }
  /// All operations ever made, unfinished or reusable.
  const std::deque<operation>& all() const { return all_; }

 private:
  std::deque<operation> all_;
  std::vector<operation*> unused_;
};

enum class alarm : std::uint8_t { arm, latency_over, time_over, visible };
struct timer {
  nanoseconds when;
  std::uint64_t number;  ///< breaks ties in the order of setting
  alarm why;
  operation* whose;
  bool operator>(const timer& other) const {
    return when != other.when ? when > other.when : number > other.number;
  }
};

/// Timers, earliest first.
class timer_queue {
 public:
  void set(nanoseconds when, alarm why, operation* whose) { timers_.push({when, ++set_, why, whose}); }
  bool empty() const { return timers_.empty(); }
  nanoseconds first() const { return timers_.top().when; }
  timer take_first() {
    const timer first = timers_.top();
    timers_.pop();
    return first;
  }

 private:
  std::uint64_t set_ = 0;
  std::priority_queue<timer, std::vector<timer>, std::greater<>> timers_;
};

/// The interface that runs the bodies of operations.
class executor {
 public:
  virtual ~executor() = default;
  /// Called when an operation is submitted; null entries of `after` count as done.
  virtual void submitted(const operation& /*op*/, std::span<const completion_ref> /*after*/) {}
  /// Called when the operation starts: its body must be run, now or later, and `engine::body_done` called.
  virtual void begin(operation& started) = 0;
  /// Called when the operation's time is over.
  virtual void end(operation& over) = 0;
};

/// The order of operations and the contention for devices, independent of the kind of time. Both kinds of
/// emulated devices consist of this and an executor. It keeps CUDA's rules:
///
/// - Operations of a stream run in their order; only events, values and graphs order different streams.
/// - Kernels of several streams run at once, up to a limit. Those of higher priority start first, and share
///   the device first, as blocks of threads do. Copies within a device count as kernels.
/// - Copies between host and device run one after the other on each engine, in the order in which they become
///   ready: CUDA's priorities do not apply to them.
/// - Host functions run one after the other.
/// - Copies from other devices, where the model has links, share these (`node_links`), and no engine.
///
/// A seed randomises the behaviour that CUDA leaves open: which operation starts first, delays of starts, and
/// the time at which the host sees completions. The engine has no lock and no thread: its owner admits one
/// thread at a time.
class engine {
 public:
  /// `links`: the links of the model, shared with others; null: links of its own.
  engine(executor& runs, std::vector<device_model> devices, node_links* links,
         std::optional<std::uint64_t> seed, double jitter, emulation_defect defect);
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Submits an operation that does not start before `moment`; null entries of `after` count as done.
  completion_ref submit(task what, int device, std::span<const completion_ref> after, nanoseconds moment);
  /// The time of the next event that happens by itself; nothing if there is none.
  std::optional<nanoseconds> next() const;
  /// Processes all events that are due until then. `now()` is the time of each event while it is processed.
  void advance_to(nanoseconds moment);
  nanoseconds now() const { return now_; }
  /// Notes that a body has ended, at `now()`; `thrown` is its exception.
  void body_done(operation& ran, const std::exception_ptr& thrown);
  /// Checks the waits for values, after a store into a word.
  void value_changed();

  const device_model& model(int device) const { return devices_[static_cast<std::size_t>(device)].model; }
  /// The reason of the device's failure; empty while it works.
  const std::string& failure(int device) const { return devices_[static_cast<std::size_t>(device)].failure; }
  void fail(int device, std::string why);
  /// True if an operation was done or a device failed since the last call.
  bool take_news() { return std::exchange(news_, false); }
  /// The devices with completions or failures since the last call, in their order; valid until the next call.
  std::span<const int> take_devices_with_news() { return with_news_.take(); }
  void observe(int device, operation_observer* observer) {
    devices_[static_cast<std::size_t>(device)].observer = observer;
  }
  /// Draws from the seed; 0 without one.
  std::uint64_t draw(std::uint64_t below);

 private:
  /// The running and waiting operations of a kind.
  struct place {
    std::vector<operation*> waiting;
    int running = 0;
  };
  struct device_state {
    device_model model{};
    std::string failure{};
    operation_observer* observer = nullptr;
    place kernels{};
    place to_device{};
    place from_device{};
    place peer{};
    place host{};
    std::vector<operation*> computing{};  ///< kernels that use the device, in the order in which it serves
                                          ///< them
    nanoseconds computed_until{0};        ///< time for which their `left` is valid
  };
  int number_of(const device_state& d) const { return static_cast<int>(&d - devices_.data()); }
  device_state& of(const operation& op) { return devices_[static_cast<std::size_t>(op.device)]; }
  void ring(const timer& due);
  void arm(operation& op);
  void settle();
  void get_ready(operation& op);
  void note_news(device_state& d);
  void assign(device_state& d);
  void assign(device_state& d, place& at, int limit, bool by_priority);
  void start(operation& op);
  void take_links(operation& op);
  void latency_over(operation& op);
  void time_over(operation& op);
  void finish(operation& op);
  void complete(operation& op);
  void tell(operation_observer& observer, const operation& op) const;
  void compute(device_state& d);
  void share_out(device_state& d);
  void finish_computing(device_state& d);
  nanoseconds late();
  double varied(double time);

  executor& runs_;
  std::vector<device_state> devices_;
  std::unique_ptr<node_links> own_links_;
  node_links* links_;  ///< null if the model has none
  std::optional<random> dice_;
  const double jitter_;
  const emulation_defect defect_;
  nanoseconds now_{0};
  std::uint64_t ready_ = 0;
  std::uint64_t host_functions_ = 0;
  bool news_ = false;
  bool settling_ = false;
  device_list changed_;    ///< devices where operations may be able to start
  device_list with_news_;  ///< devices for the next `take_devices_with_news`
  std::vector<int> due_;   ///< devices whose first kernel ends at this moment
  moment_heap finishes_;   ///< end of the first kernel, by device
  timer_queue timers_;
  operation_pool operations_;
  std::vector<operation*> armed_;
  std::vector<operation*> waiting_values_;
};

}  // namespace imbrex::emulated
