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

/// What a notice takes of its PE, beside the queries of its events, where that is modelled.
struct completion_costs {
  nanoseconds callback{0};
  nanoseconds synchronize{0};
};

/// Tells a PE when its device has done what it was given: the asynchronous completion of Choi 2022,
/// section 2.3, and what it is compared with there. Everything is the PE's thread's; only callbacks come from
/// elsewhere, and they enter by the PE's door, as messages of other PEs do.
///
/// - polling: an event is recorded for each notice. A look asks one event, the oldest of one stream, and the
///   next look that of the next stream: so a look costs the same however much is pending, and a stream that
///   is busy for long does not hold up the others.
/// - flag: the stream writes into a word of host memory; a look compares some words.
/// - callback: the stream calls a host function.
/// - user_polling: the notice is an item of the queue that asks and queues itself again.
/// - synchronous: there is no notice.
/// - work_request: as polling. The streams of the requests are here.
///
/// In simulated time no thread can wait: there a `synchronous` PE has a notice as well, and `blocks` until it
/// comes, once what it runs has returned or suspended.
///
/// A device that fails may tell nobody, or call although it has failed: so an event goes with each notice,
/// which is asked when a callback has come, and now and then while nothing comes. Then all who wait are told
/// of the failure, each in an item.
class device_completions final : public completion_source {
 public:
  /// `charged`: what is charged to the PE; null if the machine does not charge its PEs. Throws usage_error if
  /// the device cannot do it that way.
  device_completions(scheduler& pe, device& of, completion_method method, const polling_interval& when,
                     const completion_costs* charged = nullptr);
  ~device_completions();

  /// That of a PE; null if it has no device.
  static device_completions* of(const scheduler& pe) {
    return static_cast<device_completions*>(pe.completions());
  }

  device& of() const { return of_; }

  class notice;
  /// Who is told: `come(to, null)` once it is done, `come(to, device_error)` if the device has failed before,
  /// or else `forget(to)` when the run ends.
  struct receiver {
    void (*come)(void* to, const std::exception_ptr& failure);
    void (*forget)(void* to) noexcept;
    void* to;
  };
  /// Has an item queued on the PE, which tells the receiver, when all that was submitted to the stream is
  /// done. Null if that is so already, as `synchronous` makes it; then nobody will be told. Throws
  /// device_error for a stream that is being captured, and if the device has failed.
  notice* notify(stream& after, const receiver& who);
  /// Its receiver will not be told, not even to forget.
  static void cancel(notice& n) noexcept;

  /// Drops all notices, none of which may be in a queue: at the end, when the device has nothing to run any
  /// more.
  void discard() noexcept;

  /// True if an idle PE must look by itself to find what is done.
  bool must_look() const {
    return pending() > 0 && how_ != completion_method::callback && how_ != completion_method::user_polling;
  }
  /// True if the PE may run nothing, but must look.
  bool blocks() const;

  bool look() override;
  void look_beside_work() override;
  /// Looks at all that is pending; before the PE sleeps.
  bool look_at_all();

  /// Where nothing is asked of the device, it is asked so often whether it still lives.
  static constexpr nanoseconds between_checks{10'000'000};

 private:
  class events;
  class flags;
  class bad_news;

  bool find();
  /// True if the last so many looks in a row were at all that is pending.
  bool are_all(std::size_t looks) const;
  /// Neither callbacks nor flags come from a device that has failed.
  bool hears_of_no_failure() const {
    return how_ == completion_method::callback || how_ == completion_method::flag;
  }
  bool is_due_now() override;
  bool check_device();
  bool check_notice();

  scheduler& pe_;
  device& of_;
  const completion_method how_;
  const bool waits_in_notify_;  ///< with `synchronous`, the thread of the PE itself
  const polling_interval when_;
  const completion_costs costs_;
  std::vector<notice*> all_;  ///< wherever they are
  int turns_between_ = 1;
  std::size_t looks_in_vain_ = 0;
  unsigned looks_ = 0;
  nanoseconds last_look_{0};
  nanoseconds last_check_{0};
  std::unique_ptr<events> events_;
  std::unique_ptr<flags> flags_;
  std::unique_ptr<bad_news> bad_news_;  ///< once the device has failed, where it does not tell each notice
};

}  // namespace detail
}  // namespace imbrex
