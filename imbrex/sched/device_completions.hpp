// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include <imbrex/base/clock.hpp>
#include <imbrex/sched/completion_source.hpp>
#include <imbrex/sched/scheduler.hpp>
#include <imbrex/sched/settings.hpp>

namespace imbrex {

class device;
class stream;

namespace detail {

/// The modelled costs of a completion for its PE, besides the queries of its events.
struct completion_costs {
  nanoseconds callback{0};
  nanoseconds synchronize{0};
};

/// Receives the completions of a PE, for a record of the run.
class completion_listener {
 public:
  /// The completion will be queued when all work of the stream up to its last event is done.
  virtual void awaits(const work& completion, std::uint64_t stream) = 0;

 protected:
  ~completion_listener() = default;
};

/// Notifies a PE when its device has completed work. This is the asynchronous completion of Choi 2022,
/// section 2.3, with the methods it is compared with there. Everything belongs to the PE's thread. Only
/// callbacks come from other threads, and they enter by the PE's inbox, as messages of other PEs do.
///
/// - polling: an event is recorded for each completion. A poll checks one event, the oldest of one stream,
///   and the next poll that of the next stream. So the cost of a poll does not depend on the number of
///   completions. A stream that is busy for long does not delay the others.
/// - flag: the stream writes into a word of host memory; a poll compares some words.
/// - callback: the stream calls a host function.
/// - user_polling: the completion is a queued item that checks its event and queues itself again.
/// - synchronous: no completion is created.
/// - work_request: as polling. The streams of the requests are here.
///
/// In simulated time no thread can wait. There a `synchronous` PE also has a completion. Once its current
/// item has returned or suspended, it `blocks` until the completion is due.
///
/// A failed device may report nothing, or call although it has failed. So each completion has an event, which
/// is checked after a callback, and now and then while nothing is reported. Then all waiters are notified of
/// the failure, each by an item.
class device_completions final : public completion_source {
 public:
  /// `charged`: costs charged to the PE; null if the machine does not charge its PEs. Throws usage_error if
  /// the device does not support the method.
  device_completions(scheduler& pe, device& of, completion_method method, const polling_interval& when,
                     const completion_costs* charged = nullptr);
  ~device_completions();

  /// The completions of a PE; null if it has no device.
  static device_completions* of(const scheduler& pe) {
    return static_cast<device_completions*>(pe.completions());
  }

  device& of() const { return of_; }

  class completion;
  /// The receiver of a completion. `complete(to, null)`: the work is done; `complete(to, device_error)`: the
  /// device has failed before. If neither has happened when the run ends: `cancel(to)`.
  struct receiver {
    void (*complete)(void* to, const std::exception_ptr& failure);
    void (*cancel)(void* to) noexcept;
    void* to;
  };
  /// Queues an item on the PE, which notifies the receiver, when all work submitted so far to the stream is
  /// done. Null if it is done already, as `synchronous` ensures; then the receiver is not notified. Throws
  /// device_error for a stream that is being captured, and if the device has failed.
  completion* notify(stream& after, const receiver& who);
  /// Cancels a completion: its receiver is not notified, nor is `cancel` called.
  static void cancel(completion& n) noexcept;

  /// Reports all completions from now on.
  void report_to(completion_listener& listener) { listener_ = &listener; }

  /// Drops all completions, none of which may be in a queue; at the end, when the device has no more work.
  void discard() noexcept;

  /// True if an idle PE must poll to find completed work.
  bool must_look() const {
    return pending() > 0 && how_ != completion_method::callback && how_ != completion_method::user_polling;
  }
  /// True if the PE must not run items, but must poll.
  bool blocks() const;

  bool look() override;
  void look_beside_work() override;
  /// Polls all pending completions; before the PE sleeps.
  bool look_at_all();

  /// Time between checks whether the device has failed, for methods that do not query it.
  static constexpr nanoseconds between_checks{10'000'000};

 private:
  class events;
  class flags;
  class bad_news;

  bool find();
  /// True if the last `looks` polls included all pending completions.
  bool are_all(std::size_t looks) const;
  /// True for methods that do not report a failure: a failed device sends no callbacks and flags.
  bool hears_of_no_failure() const {
    return how_ == completion_method::callback || how_ == completion_method::flag;
  }
  bool is_due_now() override;
  bool check_device();
  bool check_completion();

  scheduler& pe_;
  device& of_;
  const completion_method how_;
  const bool waits_in_notify_;  ///< with `synchronous`, the PE's thread itself waits
  const polling_interval when_;
  const completion_costs costs_;
  completion_listener* listener_ = nullptr;
  std::vector<completion*> all_;  ///< all completions, in any queue
  int turns_between_ = 1;
  std::size_t looks_in_vain_ = 0;
  unsigned looks_ = 0;
  nanoseconds last_look_{0};
  nanoseconds last_check_{0};
  std::unique_ptr<events> events_;
  std::unique_ptr<flags> flags_;
  std::unique_ptr<bad_news> bad_news_;  ///< set once the device has failed, for methods that do not find the
                                        ///< failure of each completion
};

}  // namespace detail
}  // namespace imbrex
