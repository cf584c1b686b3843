// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include <imbrex/base/owner.hpp>
#include <imbrex/core/pe/chare_header.hpp>
#include <imbrex/core/pe/sent_edges.hpp>
#include <imbrex/core/pe/sent_messages.hpp>
#include <imbrex/sched/item_meter.hpp>
#include <imbrex/sched/observer.hpp>

namespace imbrex::detail {

class processor;
struct message;

/// Measures the work of each element of a PE in `chare_header::load`, for load balancers: the time of its
/// entries, of its turns in broadcasts, and of its entries after they have waited. The clock is read once an
/// item. An item's time begins where the one before it ended, unless the PE was idle in between.
///
/// `attach` makes it both the meter of the PE's items and an observer of elements.
class load_meter : public item_meter, public observer {
 public:
  using time = std::uint64_t;  ///< in the meter's unit
  /// The meaning of a time: ticks of the processor (`read_ticks`), nanoseconds of the PE's clock, or readings
  /// of the clock, of which there is one an item.
  enum class unit : std::uint8_t { ticks, nanoseconds, items };

  load_meter(processor& pe, unit of_time) : pe_(pe), unit_(of_time) {}
  /// Gives a PE its meter, before the PE runs.
  static void attach(processor& to, owner<load_meter> meter);

  processor& pe() const { return pe_; }
  unit time_unit() const { return unit_; }
  time now();
  /// The time of items that no element runs in, such as arrivals of elements.
  time time_of_nobody() const { return time_of_nobody_; }
  /// The time of the items of the balancer's own chare, and of `due`.
  time balancer_time() const { return balancer_time_; }
  /// The number of items of elements since the PE began, without the balancer's own. Turns in broadcasts and
  /// resumed entries count.
  std::uint64_t items() const { return items_; }
  /// The number of elements that have arrived from other PEs.
  std::uint64_t arrivals() const { return arrivals_; }
  /// Samples from now on which elements send messages to each other; before the PE runs.
  void sample_edges();
  /// The messages between elements, as far as this PE sends them; null unless they are sampled.
  sent_edges* edges() const { return edges_.get(); }
  /// Sets the chare of the balancer itself, whose items are not counted.
  void leave_out(chare_header& own) {
    balancer_ = &own;
    own.load.is_apart = true;
  }
  /// Calls `due` at the end of the first item that ends at this time or later.
  void set_due(time moment) { due_at_ = moment; }
  /// Calls `due` at the end of the item in which `elements` elements of this PE have passed `points` balance
  /// points each, from now on. Elements that leave or end are not waited for.
  void set_due_after(std::uint64_t elements, std::uint64_t points) {
    balance_points_left_ = elements * points;
    points_of_each_ = points;
  }
  /// Calls a function once, when elements of this PE have passed so many balance points. 0: not.
  void call_after_points(std::uint64_t points, std::function<void()> call) {
    alarm_ = {points, std::move(call)};
  }
  /// True if `set_due_after` waits for more balance points.
  bool has_balance_points_left() const { return balance_points_left_ > 0; }
  /// Counts a balance point of an element of this PE.
  void count_balance_point(chare_header& element);
  /// Charges the running element with work that others do for it: they take so many seconds, with a share of
  /// what they can do.
  void add_beside(float seconds, float share) {
    if (running_ == nullptr || running_->load.is_apart) return;
    running_->load.beside += seconds * share;
    running_->load.elapsed_beside += seconds;
  }
  /// Counts the time of an element of this PE no longer, or again.
  void pause(chare_header& element, bool is_paused);

  /// Messages counted so far are no element's.
  void restart_sent();

  void run(work& item) final { run_item(item); }
  void observed() final { choose_meter(); }
  void turn_begins(const local_array& part, const chare_header& element, const work_type& entry,
                   const work& broadcast) final;
  void resumed(const suspension& what) final;
  void destroyed(const local_array& part, const chare_header& element) final;
  void arrives(const local_array&, const chare_header&) final { ++arrivals_; }
  void departs(const local_array& part, const chare_header& element, int to) final;
  void stays(const local_array& part, const chare_header& element, int other_pe) final;

 protected:
  friend void count_sent(processor& pe, message& m);
  /// The bytes of memory that a message refers to, and is sent with.
  virtual std::uint64_t bytes_beside(message& m) = 0;
  /// Called between two items, at the end of a period. The next call needs another `set_due` or
  /// `set_due_after`.
  virtual void due() = 0;

 private:
  static constexpr time never = ~time{0};

  void find_addressee(const work& item);
  /// The meter of the PE's items where the clock counts ticks, no item is sampled, and no observer hears of
  /// all events.
  class plain_items final : public item_meter {
   public:
    explicit plain_items(load_meter& of) : of_(of) {}
    void run(work& item) override;
    void observed() override { of_.choose_meter(); }

   private:
    load_meter& of_;
  };
  /// Makes this or `plain_` the meter of the PE's items.
  void choose_meter();
  [[gnu::noinline]] void run_item(work& item);
  /// Charges the time since the last reading of the clock, and the messages, to the running element.
  /// `moment`: the time now. `AreObserved`: observers of all events may have come or gone since.
  template <bool AreObserved = true>
  void charge_until(time moment);
  template <bool AreObserved = true>
  void end_item(time moment);
  /// Leaves the time since the last reading of the clock to nobody.
  [[gnu::noinline]] void skip_idle_time();
  [[gnu::noinline]] void end_period();
  /// Charges the time from now on to another element.
  void run_next(const chare_header* next);
  void forget(const chare_header& element);

  processor& pe_;
  const unit unit_;
  chare_header* running_ = nullptr;
  const chare_header* balancer_ = nullptr;
  time since_ = 0;
  time time_of_nobody_ = 0;
  time balancer_time_ = 0;
  time due_at_ = never;
  time readings_ = 0;
  sent_messages::packed sent_before_ = 0;  ///< `sent_messages::all` at the last reading of the clock
  plain_items plain_{*this};
  std::uint64_t items_ = 0;
  std::uint64_t arrivals_ = 0;
  std::uint64_t balance_points_left_ = 0;  ///< until `due`; 0: not awaited
  std::uint64_t points_of_each_ = 1;
  struct {
    std::uint64_t points = 0;  ///< balance points until the call; 0: none is awaited
    std::function<void()> call;
  } alarm_;
  owner<sent_edges> edges_;
};

}  // namespace imbrex::detail
