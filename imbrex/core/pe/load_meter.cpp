// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/load_meter.hpp>

#include <algorithm>
#include <utility>

#include <imbrex/base/host/ticks.hpp>
#include <imbrex/core/pe/processor.hpp>
#include <imbrex/coro/scope.hpp>

namespace imbrex::detail {

void load_meter::attach(processor& to, owner<load_meter> meter) {
  load_meter& own = *meter;
  own.choose_meter();
  to.attach(static_cast<observer&>(own), observed::elements);
  to.set_loads(own, std::move(meter));
}

load_meter::time load_meter::now() {
  if (unit_ == unit::ticks) [[likely]]
    return read_ticks();
  return unit_ == unit::items ? ++readings_ : static_cast<time>(pe_.now().count());
}

void load_meter::sample_edges() { edges_ = make_owner<sent_edges>(pe_, running_); }

void load_meter::restart_sent() { sent_before_ = pe_.sent().all(); }

template <bool AreObserved>
inline void load_meter::charge_until(time moment) {
  const sent_messages::packed all = pe_.sent().all();
  sent_messages::packed sent = all - std::exchange(sent_before_, all);
  if constexpr (AreObserved) sent &= ~sent_messages::not_plain;
  if (running_ != nullptr) [[likely]] {
    if (!running_->load.is_apart) [[likely]] {
      running_->load.now += moment - since_;
      running_->load.sent += sent;
      ++items_;
    } else if (running_ == balancer_) {
      balancer_time_ += moment - since_;
    } else {
      ++items_;
    }
  } else {
    time_of_nobody_ += moment - since_;
  }
  since_ = moment;
}

void load_meter::skip_idle_time() { since_ = now(); }

void load_meter::run_next(const chare_header* next) {
  if (next == running_) return;
  charge_until(now());
  running_ = const_cast<chare_header*>(next);
}

inline void load_meter::find_addressee(const work& item) {
  const auto find = item.type->addressee;
  running_ = find == nullptr ? nullptr : find(item);
}

template <bool AreObserved>
inline void load_meter::end_item(time moment) {
  charge_until<AreObserved>(moment);
  running_ = nullptr;
  if (since_ >= due_at_) [[unlikely]]
    end_period();
}

void load_meter::choose_meter() {
  const bool is_plain = unit_ == unit::ticks && edges_ == nullptr && pe_.item_observers() == nullptr;
  pe_.attach(is_plain ? static_cast<item_meter&>(plain_) : *this);
}

void load_meter::plain_items::run(work& item) {
  load_meter& meter = of_;
  if (meter.pe_.running() == nullptr) [[unlikely]]
    meter.skip_idle_time();
  const auto find = item.type->addressee;
  chare_header* to = nullptr;
  if (find != nullptr) [[likely]]
    to = find(item);
  if (to == nullptr) [[unlikely]] {
    meter.running_ = nullptr;
    meter.pe_.run_measured<false>(item);
    return meter.end_item<false>(read_ticks());
  }
  meter.running_ = to;
  meter.pe_.run_measured<false>(item, to);
  meter.end_item<false>(read_ticks());
}

void load_meter::run_item(work& item) {
  // The clock of simulated time may have moved between two items.
  if (pe_.running() == nullptr || unit_ == unit::nanoseconds) skip_idle_time();
  find_addressee(item);
  edges_ ? edges_->run(item, running_) : pe_.run_measured(item, running_);
  end_item(now());
}

void load_meter::end_period() {
  due_at_ = never;
  due();
  const time moment = now();
  balancer_time_ += moment - since_;
  since_ = moment;
  restart_sent();  // the messages of `due` are the balancer's
}

void load_meter::count_balance_point(chare_header& element) {
  if (running_ == &element) charge_until(now());
  element.load.at_point = element.load.now;
  element.load.beside_at_point = element.load.beside;
  element.load.elapsed_beside_at_point = element.load.elapsed_beside;
  element.load.sent_at_point = element.load.sent;
  ++element.load.balance_points;
  if (balance_points_left_ != 0 && --balance_points_left_ == 0) due_at_ = 0;
  if (alarm_.points != 0 && --alarm_.points == 0) std::exchange(alarm_.call, {})();
}

void load_meter::pause(chare_header& element, bool is_paused) {
  if (running_ == &element) charge_until(now());
  element.load.is_apart = is_paused;
}

void load_meter::forget(const chare_header& element) {
  if (running_ == &element) run_next(nullptr);
  const measured_load& its = element.load;
  if (balance_points_left_ == 0 || its.point_periods == 0 || its.balance_points >= points_of_each_) return;
  const std::uint64_t missing = points_of_each_ - its.balance_points;
  if (balance_points_left_ <= missing) due_at_ = 0;
  balance_points_left_ -= std::min(missing, balance_points_left_);
}

void load_meter::turn_begins(const local_array&, const chare_header& element, const work_type&, const work&) {
  run_next(&element);
}

void load_meter::resumed(const suspension& what) {
  run_next(static_cast<const chare_header*>(what.entry().chare));
}

void load_meter::destroyed(const local_array&, const chare_header& element) { forget(element); }

void load_meter::departs(const local_array&, const chare_header& element, int) { forget(element); }

void load_meter::stays(const local_array&, const chare_header& element, int) {
  const_cast<chare_header&>(element).load.has_stayed = true;
}

}  // namespace imbrex::detail
