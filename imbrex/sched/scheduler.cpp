// SPDX-License-Identifier: Apache-2.0
#include <imbrex/sched/scheduler.hpp>

#include <algorithm>
#include <utility>

#include <imbrex/net/endpoint.hpp>
#include <imbrex/sched/completion_source.hpp>

namespace imbrex::detail {

/// An item queued behind arrived items: when it runs, those before it have run.
struct scheduler::receipt : work {
  receipt(scheduler& s, std::size_t count) : owner(s), bytes(count) { type = &kind; }

  static void arrived(work& item) {
    auto& r = static_cast<receipt&>(item);
    r.owner.unread_ -= r.bytes;
    delete &r;
  }
  static void forget(work& item) noexcept { delete &static_cast<receipt&>(item); }
  static constexpr work_type kind{"receipt", &arrived, &forget, nullptr, nullptr};

  scheduler& owner;
  std::size_t bytes;
};

scheduler::scheduler(int pe, const clock& time, std::optional<std::uint64_t> shuffle, pool* shared)
    : pe_(pe), clock_(time), queue_(shuffle), inbox_(shared == nullptr) {
  if (shared == nullptr) memory_.own = make_owner<pool>();
  memory_.used = shared == nullptr ? memory_.own.get() : shared;
}

scheduler::~scheduler() = default;

std::optional<nanoseconds> scheduler::next_deadline() const {
  return timers_.empty() ? std::nullopt : std::optional(timers_.next_deadline());
}

void scheduler::attach(observer& o, observed what) {
  observers_.add(o, what);
  if (item_observers() == nullptr) return;
  if (meter_ == nullptr) meter_ = &no_meter_;
  meter_->observed();
}

void scheduler::run_observed(work& item) {
  struct whole_item {
    ~whole_item() {
      observers.tell_backward([](observer& o) { o.item_ends(); });
    }
    const observer_list& observers;
  };
  try {
    item_observers()->tell([&](observer& o) { o.item_begins(item); });
  } catch (...) {
    item.type->destroy(item);
    throw;
  }
  const whole_item open{*item_observers()};
  item.type->run(item);
}

void scheduler::push_arrived(work& item, std::size_t bytes) {
  ++arrived_;
  unread_ += bytes + bytes_beside_payload;
  unreceipted_ += bytes + bytes_beside_payload;
  last_unreceipted_ = std::max<int>(last_unreceipted_, item.priority);
  push(item);
  if (unreceipted_ >= bytes_a_receipt) [[unlikely]]
    push_receipt();
}

void scheduler::push_receipt() {
  auto* r = new receipt(*this, std::exchange(unreceipted_, 0));
  r->priority = static_cast<std::int8_t>(std::exchange(last_unreceipted_, first_priority));
  push(*r);
}

bool scheduler::look_at_sources() {
  if (endpoint_ != nullptr && (queue_.empty() || turns_to_poll_-- == 0) && !exchange()) return false;
  if (device_ != nullptr) look_at_device();
  if (!timers_.empty() && ((++turns_ & turns_skipped_) == 0 || queue_.empty())) take_due_timers();
  has_sources_ = endpoint_ != nullptr || device_ != nullptr || !timers_.empty();
  return true;
}

/// Exchanges messages with the network, with back-pressure. A PE with too much unread runs items rather than
/// receive. Between two polls it runs at least as many as the first poll brought, so that its senders slow
/// down. A PE with too much to send runs nothing until some of it has left. It still receives, but long
/// messages ever more slowly. So if two PEs flood each other, both proceed. False if nothing must run now.
bool scheduler::exchange() {
  running_.store(nullptr, std::memory_order_relaxed);
  const bool full = unread_ > endpoint::most_unread;
  arrived_ = 0;
  endpoint_->progress(unread_);
  turns_to_poll_ = full ? std::max(arrived_, turns_between_polls_when_full) : turns_between_polls;
  if (!endpoint_->congested()) return true;
  turns_to_poll_ = 0;
  return false;
}

bool scheduler::poll() {
  const bool came = endpoint_ != nullptr && endpoint_->progress(unread_);
  return (device_ != nullptr && device_->pending() > 0 && device_->look()) || came;
}

void scheduler::look_at_device() {
  if (device_->pending() == 0) return;
  running_.store(nullptr, std::memory_order_relaxed);
  if (queue_.empty())
    device_->look();
  else if (device_->is_due())
    device_->look_beside_work();
}

void scheduler::take_in() {
  work* item = inbox_.take();
  while (item != nullptr) {
    work* next = item->next;
    queue_.push(*item);
    item = next;
  }
}

void scheduler::take_due_timers() {
  const auto moment = now();
  while (timer* due = timers_.take_due(moment)) {
    queue_.push(*due);
    if (due->priority > 0) break;  // the timer yields to messages, which the PE polls for before the next one
  }
}

void scheduler::run_after() {
  while (!after_.empty()) run_item(after_.pop());
}

void scheduler::discard_work() noexcept {
  const activation guard(*this);
  while (!after_.empty()) {
    work& item = after_.pop();
    item.type->destroy(item);
  }
  for (;;) {
    if (inbox_.has_items()) take_in();
    work* item = queue_.pop();
    if (item == nullptr) break;
    item->type->destroy(*item);
  }
  while (timer* t = timers_.take_due(nanoseconds::max())) t->type->destroy(*t);
}

}  // namespace imbrex::detail
