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
#include <imbrex/device/emulated/options.hpp>
#include <imbrex/device/model.hpp>
#include <imbrex/device/node_links.hpp>

namespace imbrex::emulated {

struct operation;

/// What is left of an operation for those who wait for it. `done` is stored last, with release; the rest is
/// the engine's.
struct completion {
  std::atomic<bool> done{false};
  operation* producer = nullptr;  ///< until it is done
  nanoseconds visible{0};         ///< when the host may see it
};
using completion_ref = std::shared_ptr<completion>;

enum class operation_kind : std::uint8_t {
  join,  ///< only waits for what it comes after
  kernel,
  to_device,
  from_device,
  peer,  ///< a copy from another device, over links
  host_function,
  write_value,
  wait_value
};

/// What an operation does, as a stream submits it and a graph keeps it.
struct task {
  operation_kind kind = operation_kind::join;
  stream_priority priority = stream_priority::normal;
  std::shared_ptr<const std::string> owner;
  std::string_view what = "join";  ///< for errors
  std::function<void()> body;      ///< null: nothing to be done
  nanoseconds latency{0};          ///< takes no part of the device's power
  double work = 0;                 ///< nanoseconds of the whole device, or of one copy engine
  double share = 1;                ///< of the device, that it can use at most
  std::atomic<std::uint32_t>* word = nullptr;
  std::uint32_t value = 0;
  std::uint32_t stream = 0;  ///< its number
  std::size_t bytes = 0;     ///< copied
  int from = 0;              ///< the device that a peer copy reads, and
  int to = 0;                ///< that it writes
};

/// An operation that is not done. Its states, in order:
///
///     submitted   `unmet` operations that it comes after are not done
///     armed       its start may lie in the future: in `timers_`
///     waiting     for a place among the kernels, a copy engine, the host functions' thread, a value
///     running     its time passes, and its body is run; it ends when both are over
struct operation : task {
  int device = 0;
  std::size_t unmet = 0;
  std::vector<operation*> dependents;
  completion_ref end;
  nanoseconds earliest{0};  ///< no start before
  nanoseconds begun{0};
  nanoseconds visible{0};  ///< when the host may see the last one that it comes after
  std::uint64_t rank = 0;  ///< in the order in which operations become ready
  double left = 0;         ///< of `work`
  double speed = 0;
  bool time_over = false;
  bool body_over = false;
};

/// Who runs the bodies of operations.
class executor {
 public:
  virtual ~executor() = default;
  /// The operation starts: its body is to be run, now or later, and `engine::body_done` called.
  virtual void begin(operation& started) = 0;
  /// Its time is over.
  virtual void end(operation& over) = 0;
};

/// The order of operations and the contention for devices, in whatever time: emulated devices of both kinds
/// are this and a way to run bodies. It keeps CUDA's rules:
///
/// - Operations of a stream run in their order; nothing else orders streams but events, values and graphs.
/// - Kernels of several streams run at once, up to a limit. Those of higher priority start first, and share
///   the device first, as blocks of threads do. So does what copies within a device.
/// - Copies between host and device run one after the other on each engine, in the order in which they become
///   ready: CUDA's priorities do not concern them.
/// - Host functions run one after the other.
/// - Copies from other devices, where the model has links, share these (`node_links`), and no engine.
///
/// With a seed it does what CUDA leaves open in many ways: what starts first, and how much later than it
/// could; when the host sees what is done. It has no lock and no thread: its owner lets one in at a time.
class engine {
 public:
  /// `links`: what the models say of links, which others use, too; null: links of its own.
  engine(executor& runs, std::vector<device_model> devices, node_links* links,
         std::optional<std::uint64_t> seed, double jitter, emulation_defect defect);
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Nothing starts before `moment`; null entries of `after` count as done.
  completion_ref submit(task what, int device, std::span<const completion_ref> after, nanoseconds moment);
  /// When something happens next by itself.
  std::optional<nanoseconds> next() const;
  /// Lets happen all that is due until then. `now()` is the moment of each while it happens.
  void advance_to(nanoseconds moment);
  nanoseconds now() const { return now_; }
  /// A body has been run, at `now()`; `thrown` is what came out of it.
  void body_done(operation& ran, const std::exception_ptr& thrown);
  /// Somebody stored into a word.
  void value_changed();

  const device_model& model(int device) const { return devices_[static_cast<std::size_t>(device)].model; }
  /// Empty as long as the device works; then why it does not.
  const std::string& failure(int device) const { return devices_[static_cast<std::size_t>(device)].failure; }
  void fail(int device, std::string why);
  /// True if something was done since the last call, or failed.
  bool take_news() { return std::exchange(news_, false); }
  /// The devices of which that is true, in their order; valid until the next call.
  std::span<const int> take_devices_with_news();
  void observe(int device, operation_observer* observer) {
    devices_[static_cast<std::size_t>(device)].observer = observer;
  }
  /// Draws from the seed; 0 without one.
  std::uint64_t draw(std::uint64_t below);

 private:
  /// Where operations of a kind run, and wait to.
  struct place {
    std::vector<operation*> waiting;
    int running = 0;
  };
  struct device_state {
    device_model model{};
    std::string failure{};
    bool news = false;
    bool changed = false;  ///< something may start
    operation_observer* observer = nullptr;
    place kernels{};
    place to_device{};
    place from_device{};
    place peer{};
    place host{};
    std::vector<operation*> computing{};  ///< kernels that use the device, those that it serves first first
    nanoseconds computed_until{0};        ///< up to when their `left` is right
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

  int number_of(const device_state& d) const { return static_cast<int>(&d - devices_.data()); }
  device_state& of(const operation& op) { return devices_[static_cast<std::size_t>(op.device)]; }
  operation& make();
  void recycle(operation& op);
  void set_timer(nanoseconds when, alarm why, operation* whose);
  void ring(const timer& due);
  void arm(operation& op);
  void settle();
  void get_ready(operation& op);
  void note_change(device_state& d);
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
  std::uint64_t timers_set_ = 0;
  std::uint64_t ready_ = 0;
  std::uint64_t host_functions_ = 0;
  bool news_ = false;
  bool settling_ = false;
  std::vector<int> changed_;    ///< devices where something may start
  std::vector<int> assigned_;   ///< those whose work `settle` starts
  std::vector<int> with_news_;  ///< devices
  std::vector<int> due_news_;   ///< devices, as told last
  std::vector<int> due_;        ///< devices whose first kernel is over at this moment
  moment_heap finishes_;        ///< of the first kernel of each device
  std::priority_queue<timer, std::vector<timer>, std::greater<>> timers_;
  std::deque<operation> operations_;  // all there ever were, each done or not
  std::vector<operation*> unused_;
  std::vector<operation*> armed_;
  std::vector<operation*> waiting_values_;
};

}  // namespace imbrex::emulated
