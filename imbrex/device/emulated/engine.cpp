// SPDX-License-Identifier: Apache-2.0
#include <imbrex/device/emulated/engine.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/device/error.hpp>

namespace imbrex::emulated {
namespace {

constexpr nanoseconds never = nanoseconds::max();

bool reached(const operation& op) {
  return static_cast<std::int32_t>(op.word->load(std::memory_order_acquire) - op.value) >= 0;
}

bool is_before(const operation* a, const operation* b) {
  return a->priority != b->priority ? a->priority > b->priority : a->rank < b->rank;
}

/// Rounded up, except for the rounding error of a sum.
nanoseconds whole(double time) {
  return nanoseconds(static_cast<std::int64_t>(std::ceil(std::min(time, 1e18) - 1e-6)));
}

}  // namespace

engine::engine(executor& runs, std::vector<device_model> devices, node_links* links,
               std::optional<std::uint64_t> seed, double jitter, emulation_defect defect)
    : runs_(runs), links_(links), jitter_(seed ? jitter : 0), defect_(defect) {
  if (seed) dice_.emplace(*seed);
  if (links_ == nullptr && !devices.empty() && devices.front().has_links()) {
    own_links_ = std::make_unique<node_links>(devices.front(), static_cast<int>(devices.size()));
    links_ = own_links_.get();
  }
  for (device_model& model : devices) devices_.emplace_back().model = std::move(model);
}

std::uint64_t engine::draw(std::uint64_t below) { return dice_ ? dice_->below(below) : 0; }

/// A random delay: mostly none, sometimes short, rarely long.
nanoseconds engine::late() {
  if (!dice_ || dice_->below(2) == 0) return nanoseconds(0);
  return nanoseconds(dice_->below(std::uint64_t{1} << dice_->below(17)));
}

double engine::varied(double time) {
  if (jitter_ <= 0) return time;
  constexpr std::uint64_t steps = 1U << 20U;
  const double part = static_cast<double>(dice_->below(steps)) / steps;
  return time * (1 + jitter_ * (2 * part - 1));
}

operation& operation_pool::make() {
  if (unused_.empty()) return all_.emplace_back();
  operation& op = *unused_.back();
  unused_.pop_back();
  return op;
}

void operation_pool::recycle(operation& op) {
  std::vector<operation*> kept = std::move(op.dependents);
  kept.clear();
  op = operation{};
  op.dependents = std::move(kept);
  unused_.push_back(&op);
}

completion_ref engine::submit(task what, int device, std::span<const completion_ref> after,
                              nanoseconds moment) {
  operation& op = operations_.make();
  static_cast<task&>(op) = std::move(what);
  op.device = device;
  op.times.earliest = moment;
  op.end = std::make_shared<completion>();
  op.end->producer = &op;
  for (const completion_ref& before : after) {
    if (before == nullptr) continue;
    op.times.visible = std::max(op.times.visible, before->visible);
    if (before->producer == nullptr) continue;
    before->producer->dependents.push_back(&op);
    ++op.unmet;
  }
  completion_ref end = op.end;
  runs_.submitted(op, after);
  if (op.unmet == 0) arm(op);
  settle();
  return end;
}

std::optional<nanoseconds> engine::next() const {
  nanoseconds first = timers_.empty() ? never : timers_.first();
  if (!finishes_.empty()) first = std::min(first, finishes_.first().when);
  return first == never ? std::nullopt : std::optional(std::max(first, now_));
}

void engine::advance_to(nanoseconds moment) {
  for (auto due = next(); due && *due <= moment; due = next()) {
    now_ = *due;
    if (!timers_.empty() && timers_.first() <= now_) {
      ring(timers_.take_first());
    } else {
      due_.clear();
      for (; !finishes_.empty() && finishes_.first().when <= now_; finishes_.erase(due_.back()))
        due_.push_back(finishes_.first().which);
      std::ranges::sort(due_);
      for (const int number : due_) finish_computing(devices_[static_cast<std::size_t>(number)]);
    }
    settle();
  }
  now_ = std::max(now_, moment);
}

void engine::ring(const timer& due) {
  if (due.whose != nullptr && !of(*due.whose).failure.empty()) return;
  switch (due.why) {
    case alarm::arm: armed_.push_back(due.whose); break;
    case alarm::latency_over: latency_over(*due.whose); break;
    case alarm::time_over: time_over(*due.whose); break;
    case alarm::visible:
      for (device_state& d : devices_) note_news(d);
      break;
  }
}

/// Schedules the start of an operation whose predecessors are all done.
void engine::arm(operation& op) {
  nanoseconds start = std::max(now_, op.times.earliest);
  // The host learns of earlier operations by these, but not before a query could show their end.
  if (op.kind == operation_kind::host_function || op.kind == operation_kind::write_value)
    start = std::max(start, op.times.visible);
  start += late();
  if (start <= now_)
    armed_.push_back(&op);
  else
    timers_.set(start, alarm::arm, &op);
}

/// Starts all operations that can start. One that starts may end at once and release others, so this is a
/// loop without recursion. A nested call leaves its work to the outer one.
void engine::settle() {
  if (settling_) return;
  settling_ = true;
  do {
    for (std::size_t i = 0; i < armed_.size(); ++i) get_ready(*armed_[i]);  // may grow meanwhile
    armed_.clear();
    for (const int number : changed_.take()) assign(devices_[static_cast<std::size_t>(number)]);
  } while (!armed_.empty() || !changed_.empty());
  settling_ = false;
}

void engine::note_news(device_state& d) {
  news_ = true;
  with_news_.add(number_of(d));
}

void engine::get_ready(operation& op) {
  device_state& d = of(op);
  if (!d.failure.empty()) return;
  changed_.add(number_of(d));
  op.rank = ++ready_;
  switch (op.kind) {
    case operation_kind::join: complete(op); break;
    case operation_kind::kernel: d.kernels.waiting.push_back(&op); break;
    case operation_kind::to_device: d.to_device.waiting.push_back(&op); break;
    case operation_kind::from_device: d.from_device.waiting.push_back(&op); break;
    case operation_kind::peer: d.peer.waiting.push_back(&op); break;
    case operation_kind::host_function: d.host.waiting.push_back(&op); break;
    case operation_kind::write_value:
      op.word->store(op.value, std::memory_order_release);
      complete(op);
      value_changed();
      break;
    case operation_kind::wait_value:
      if (reached(op))
        complete(op);
      else
        waiting_values_.push_back(&op);
      break;
  }
}

void engine::value_changed() {
  std::vector<operation*> reached_now;
  std::erase_if(waiting_values_, [&](operation* op) {
    if (!reached(*op)) return false;
    reached_now.push_back(op);
    return true;
  });
  for (operation* one : reached_now) complete(*one);
  settle();
}

void engine::assign(device_state& d) {
  const bool by_priority = defect_ != emulation_defect::ignored_priority;
  assign(d, d.kernels, d.model.device.concurrent_kernels, by_priority);
  assign(d, d.to_device, d.model.copy.engines_to_device, false);
  assign(d, d.from_device, d.model.copy.engines_from_device, false);
  assign(d, d.peer, std::numeric_limits<int>::max(), false);
  assign(d, d.host, 1, false);
}

void engine::assign(device_state& d, place& at, int limit, bool by_priority) {
  while (d.failure.empty() && at.running < limit && !at.waiting.empty()) {
    auto chosen = at.waiting.begin();
    if (dice_)
      chosen += static_cast<std::ptrdiff_t>(dice_->below(at.waiting.size()));
    else if (by_priority)
      chosen = std::ranges::min_element(at.waiting, is_before);
    operation& op = **chosen;
    at.waiting.erase(chosen);
    ++at.running;
    start(op);
  }
}

void engine::start(operation& op) {
  op.times.begun = now_;
  if (links_ != nullptr) take_links(op);
  op.latency = whole(varied(static_cast<double>(op.latency.count())));
  op.progress.left = varied(std::min(op.work, 1e15 * op.share));  // 11 days stand for any longer time
  op.progress.body_over = op.body == nullptr;
  if (op.kind == operation_kind::host_function) {
    if (defect_ == emulation_defect::lost_callback && ++host_functions_ % 3 == 0)
      op.progress.body_over = true;
  } else if (!op.progress.body_over) {
    runs_.begin(op);
  }
  if (op.latency.count() == 0)
    latency_over(op);
  else
    timers_.set(now_ + op.latency, alarm::latency_over, &op);
}

/// Takes the links of an operation from now on, which determine its time.
void engine::take_links(operation& op) {
  const node_links::end device{op.device, true};
  const node_links::end host{op.device, false};
  const auto left_until = [&](nanoseconds end) { return static_cast<double>((end - now_).count()); };
  switch (op.kind) {
    case operation_kind::to_device:
      op.work = std::max(op.work, left_until(links_->transfer(now_, host, device, op.copy.bytes)));
      break;
    case operation_kind::from_device:
      op.work = std::max(op.work, left_until(links_->transfer(now_, device, host, op.copy.bytes)));
      break;
    case operation_kind::peer:
      op.work = left_until(links_->transfer(now_, {op.copy.from, true}, {op.copy.to, true}, op.copy.bytes));
      break;
    default: break;
  }
}

void engine::latency_over(operation& op) {
  if (op.kind == operation_kind::host_function && !op.progress.body_over) {
    op.progress.time_over = true;
    runs_.begin(op);
  } else if (op.progress.left <= 0) {
    time_over(op);
  } else if (op.kind == operation_kind::kernel) {
    device_state& d = of(op);
    compute(d);
    d.computing.insert(std::ranges::upper_bound(d.computing, &op, is_before), &op);
    share_out(d);
  } else {
    timers_.set(now_ + whole(op.progress.left), alarm::time_over, &op);
  }
}

void engine::time_over(operation& op) {
  if (!op.progress.body_over) runs_.end(op);
  op.progress.time_over = true;
  if (op.progress.body_over) finish(op);
}

void engine::body_done(operation& ran, const std::exception_ptr& thrown) {
  if (thrown)
    fail(ran.device,
         std::string(ran.what) + " in " + detail::stream_of(*ran.owner) + " failed: " + describe(thrown));
  ran.progress.body_over = true;
  if (ran.progress.time_over) finish(ran);
  settle();
}

void engine::finish(operation& op) {
  device_state& d = of(op);
  changed_.add(number_of(d));
  switch (op.kind) {
    case operation_kind::kernel: --d.kernels.running; break;
    case operation_kind::to_device: --d.to_device.running; break;
    case operation_kind::from_device: --d.from_device.running; break;
    case operation_kind::peer: --d.peer.running; break;
    default: --d.host.running; break;
  }
  if (d.observer != nullptr) tell(*d.observer, op);
  complete(op);
}

void engine::tell(operation_observer& observer, const operation& op) const {
  using type = finished_operation::type;
  const auto what = op.kind == operation_kind::to_device     ? type::to_device
                    : op.kind == operation_kind::from_device ? type::from_device
                    : op.kind == operation_kind::peer        ? type::within_device
                    : op.kind != operation_kind::kernel      ? type::host_function
                    : op.copy.bytes != 0                     ? type::within_device
                                                             : type::kernel;
  observer.finished({what, op.what, op.stream, *op.owner, op.copy.bytes, op.times.begun, now_});
}

void engine::complete(operation& op) {
  if (!of(op).failure.empty()) return;
  completion& end = *op.end;
  end.visible = std::max(op.times.visible, now_ + late());
  end.producer = nullptr;
  for (operation* follower : op.dependents) {
    follower->times.visible = std::max(follower->times.visible, end.visible);
    if (--follower->unmet == 0) arm(*follower);
  }
  if (end.visible > now_) timers_.set(end.visible, alarm::visible, nullptr);
  note_news(of(op));
  end.done.store(true, std::memory_order_release);
  operations_.recycle(op);
}

void engine::fail(int device, std::string why) {
  device_state& d = devices_[static_cast<std::size_t>(device)];
  if (!d.failure.empty()) return;
  d.failure = std::move(why);
  std::erase_if(waiting_values_, [&](operation* op) { return op->device == device; });
  d.computing.clear();
  finishes_.erase(number_of(d));
  note_news(d);
  if (!operations_.has_unfinished()) return;
  // Operations of other devices that depend on one of this device will never start.
  for (const operation& one : operations_.all())
    if (one.device == device && one.end != nullptr)
      for (const operation* follower : one.dependents)
        if (follower->device != device)
          fail(follower->device,
               detail::stream_of(*follower->owner) + " waits for a device that failed: " + d.failure);
}

/// Subtracts the work done by the kernels since the last call.
void engine::compute(device_state& d) {
  const auto passed = static_cast<double>((now_ - d.computed_until).count());
  for (operation* op : d.computing) op->progress.left -= passed * op->progress.speed;
  d.computed_until = now_;
}

/// Gives the first kernels their share of the device, and later ones the rest.
void engine::share_out(device_state& d) {
  double rest = 1;
  nanoseconds first = never;
  for (operation* op : d.computing) {
    op->progress.speed = rest > 1e-9 ? std::min(op->share, rest) : 0;  // a smaller rest is a rounding error
    rest -= op->progress.speed;
    if (op->progress.speed > 0)
      first = std::min(first, now_ + std::max(nanoseconds(0), whole(op->progress.left / op->progress.speed)));
  }
  first == never ? finishes_.erase(number_of(d)) : finishes_.set(number_of(d), first);
}

void engine::finish_computing(device_state& d) {
  compute(d);
  std::vector<operation*> over;
  std::erase_if(d.computing, [&](operation* op) {
    if (op->progress.speed <= 0 || whole(op->progress.left / op->progress.speed).count() > 0) return false;
    over.push_back(op);
    return true;
  });
  share_out(d);
  for (operation* one : over) time_over(*one);
}

}  // namespace imbrex::emulated
