// SPDX-License-Identifier: Apache-2.0
#include <imbrex/tools/trace/pe_account.hpp>

#include <algorithm>
#include <string_view>

#include <imbrex/tools/trace/run_observer.hpp>

namespace imbrex::tools {

namespace {

using trace::item_class;
using trace::wait_cause;

/// The parts of chains for all states but `program`.
constexpr std::array<chain_part, pe_states> parts_of_states{
    chain_wait_other, chain_runtime,     chain_unrecorded, chain_wait_other,
    chain_wait_other, chain_wait_device, chain_wait_timer, chain_wait_other};

/// The difference, but at least 0: cut intervals may make `part` too large.
std::uint64_t without(std::uint64_t all, std::uint64_t part) { return all > part ? all - part : 0; }

}  // namespace

pe_account::pe_account(std::uint32_t pe, std::uint32_t track, std::size_t kept, std::uint64_t start,
                       shared_accounts& all, std::uint32_t process)
    : all_(all), since_(start), track_(track), process_(process), overlap_(kept), worked_until_(start) {
  report_.pe = pe;
}

pe_state pe_account::state() const {
  if (does_.now() == mode::unrecorded) return pe_state::unrecorded;
  if (does_.is_busy()) return does_.innermost().program ? pe_state::program : pe_state::runtime;
  if (!has_run_) return pe_state::before_first;
  if (waits_[0] > 0) return pe_state::idle_device;
  return waits_[1] > 0 ? pe_state::idle_timer : pe_state::idle_other;
}

std::uint32_t pe_account::part(pe_state now) const {
  return now == pe_state::program ? all_.part_of(all_.entries[entry()])
                                  : parts_of_states[static_cast<std::size_t>(now)];
}

// Accounts for the time up to `time`. Call it before the state changes.
void pe_account::change(std::uint64_t time) {
  forget_captured();
  if (time <= since_) return;
  const auto passed = time - since_;
  const auto now = state();
  const auto of_chain = part(now);
  times_[static_cast<std::size_t>(now)] += passed;
  chain_[of_chain] += passed;
  if (does_.is_busy()) {
    const auto& of = does_.innermost().more;
    all_.entries[of.entry].time += passed;
    all_.elements[of.element].busy += passed;
  } else {
    after_last_item_[of_chain] += passed;
    if (does_.now() != mode::unrecorded) idle_since_work_ += passed;
    if (does_.now() == mode::parked) parked_time_ += passed;
  }
  overlap_.extend(time, now, std::min(all_.reach, last_item_end_));
  if (all_.observer != nullptr)
    all_.observer->stretch(track_, {since_, time}, now, does_.frames().empty() ? 0 : entry());
  since_ = time;
}

// Notifies the process if this PE has begun or ended to compute.
void pe_account::changed(std::uint64_t time) {
  const bool computes = does_.is_busy() && does_.innermost().program;
  if (computes == computing_) return;
  computing_ = computes;
  all_.changes.pe_computes(time, process_, computes);
}

void pe_account::begun(activity::frame& frame, std::uint32_t entry) {
  frame.more.entry = entry;
  if (!frame.program) return;
  all_.entries[entry].program = true;
  worked_ = true;
  if (!all_.entries[entry].is_main)
    frame.more.element = all_.elements.place_of(frame.group, frame.element, process_);
}

// Counts a call of the frame's entry.
void pe_account::called(activity::frame& frame) {
  if (!all_.counts) return;
  ++all_.entries[frame.more.entry].calls;
  ++all_.elements[frame.more.element].calls;
}

// Accounts for the end of a frame.
auto pe_account::tells_end(std::uint64_t time) {
  return [this, time](const activity::frame& ended, std::size_t depth) {
    auto& longest = all_.entries[ended.more.entry].longest;
    longest = std::max(longest, time - ended.begun);
    if (all_.observer != nullptr) tell(ended, depth, time);
  };
}

void pe_account::tell(const activity::frame& ended, std::size_t depth, std::uint64_t end) const {
  all_.observer->ran(track_, {{ended.begun, end},
                              ended.element,
                              ended.group,
                              ended.more.entry,
                              static_cast<std::uint8_t>(depth),
                              ended.program});
}

std::uint32_t& pe_account::waits(std::uint8_t cause) {
  switch (static_cast<wait_cause>(cause)) {
    case wait_cause::device: return waits_[0];
    case wait_cause::timer: return waits_[1];
    default: return waits_[2];
  }
}

void pe_account::item_begin(const trace::record& r, std::uint32_t entry) {
  change(r.time);
  waited_ = !does_.is_busy() && does_.now() != mode::unrecorded && idle_since_work_ > 0;
  worked_ = false;
  auto& item = does_.item_begin(r, tells_end(r.time));
  has_run_ = true;
  if (all_.counts) ++report_.items;
  const bool calls = r.detail == static_cast<std::uint8_t>(item_class::entry);
  const bool of_no_message = r.detail == static_cast<std::uint8_t>(item_class::other) && r.a == 0;
  own_message_ = calls ? r.a : 0;
  own_counts_ = all_.counts;
  own_entry_ = r.entry;
  may_end_wait_ = of_no_message;
  if (of_no_message && all_.entries[entry].is_main) item.program = true;
  begun(item, entry);
  called(item);
  changed(r.time);
}

void pe_account::sent(const trace::record& r) {
  if (all_.counts && does_.is_busy()) {
    element_account& sender = all_.elements[does_.innermost().more.element];
    ++sender.sent;
    sender.sent_bytes += r.b;
  }
  if (own_message_ == 0 || r.a != own_message_ || r.entry != own_entry_) return;
  own_message_ = 0;
  const auto& passed_on = does_.frames().front().more;
  if (!own_counts_) return;
  --all_.entries[passed_on.entry].calls;
  --all_.elements[passed_on.element].calls;
}

void pe_account::item_end(std::uint64_t time) {
  change(time);
  if (worked_ || !does_.is_busy()) {
    worked_until_ = time;
    idle_since_work_ = 0;
  }
  does_.item_end(tells_end(time));
  waited_ = worked_ = false;
  something_runs_inside();
  last_item_end_ = idle_since_ = time;
  after_last_item_ = {};
  changed(time);
}

void pe_account::entry_begin(const trace::record& r, std::uint32_t entry) {
  something_runs_inside();
  if (!does_.may_nest()) {
    if (all_.counts) ++all_.entries[entry].calls;
    return;
  }
  change(r.time);
  auto& turn = *does_.turn_begin(r);
  begun(turn, entry);
  called(turn);
  changed(r.time);
}

void pe_account::entry_end(std::uint64_t time) {
  if (!does_.is_busy()) return;
  change(time);
  does_.turn_end(tells_end(time));
  changed(time);
}

void pe_account::resumed(const trace::record& r, std::uint32_t entry) {
  change(r.time);
  if (may_end_wait_ && static_cast<wait_cause>(r.detail) == wait_cause::device)
    overlap_.relabel_blocked_since(idle_since_);
  something_runs_inside();
  if (auto& waiting = waits(r.detail); waiting > 0) --waiting;
  if (all_.counts) ++all_.entries[entry].resumes;
  if (auto* const coroutine = does_.resumed(r)) begun(*coroutine, entry);
  changed(r.time);
}

void pe_account::suspended(const trace::record& r) {
  change(r.time);
  something_runs_inside();
  ++waits(r.detail);
  does_.suspended(r, tells_end(r.time));
  changed(r.time);
}

void pe_account::abandoned(const trace::record& r) {
  change(r.time);
  if (auto& waiting = waits(r.detail); waiting > 0) --waiting;
  changed(r.time);
}

void pe_account::parked(std::uint64_t time) {
  if (does_.is_busy()) return;
  change(time);
  if (does_.now() == mode::unrecorded) worked_until_ = idle_since_ = time;
  does_.parked();
}

void pe_account::woken(std::uint64_t time) {
  if (does_.is_busy()) return;
  change(time);
  if (does_.now() == mode::unrecorded) worked_until_ = idle_since_ = time;
  does_.woken();
}

// Running frames are treated as an item that ends at the last known time.
void pe_account::stop_recording(std::uint64_t last_known) {
  if (does_.is_busy()) {
    last_item_end_ = last_known;
    after_last_item_ = {};
  }
  does_.stop([&](const activity::frame& ended, std::size_t depth) {
    if (all_.observer != nullptr) tell(ended, depth, last_known);
  });
  waited_ = false;
  something_runs_inside();
  waits_ = {};  // the ends of these waits are not recorded
  idle_since_work_ = 0;
}

void pe_account::off(std::uint64_t time) {
  change(time);
  stop_recording(time);
  changed(time);
}

// The PE's state from the previous record on is unknown.
void pe_account::dropped(const trace::record& r, std::uint64_t before) {
  change(before);
  report_.dropped += r.a;
  stop_recording(before);
  changed(before);
  change(r.time);
}

void pe_account::quiet(std::uint64_t time, std::uint32_t chain) {
  change(time);
  take_over(chain, {time, time, time});
  last_item_end_ = time;
  after_last_item_ = {};
}

std::uint32_t pe_account::capture() {
  if (captured_ == 0) {
    const auto now = part(state());
    captured_ = all_.chains.keep(chain_, all_.chain_used, since_, now);
  }
  if (captured_ != 0) all_.chains.use(captured_);
  return captured_;
}

void pe_account::take_over(std::uint32_t chain, const message_times& times) {
  waited_ = false;
  forget_captured();
  all_.chains.restore(chain, times.sent, all_.chain_used, chain_);
  chain_[chain_network] += times.ready - times.sent;
  chain_[chain_wait_other] += times.begun - times.ready;
}

chain_times pe_account::chain_of_last_item() const {
  chain_times chain = chain_;
  for (std::size_t k = 0; k < after_last_item_.size(); ++k) chain[k] -= after_last_item_[k];
  return chain;
}

pe_account::owner pe_account::innermost() const {
  if (!does_.is_busy()) return {};
  const auto& runs = does_.innermost().more;
  return {runs.entry, runs.element, true};
}

std::uint64_t pe_account::program_time(std::uint64_t now) const {
  const std::uint64_t before = times_[static_cast<std::size_t>(pe_state::program)];
  return state() == pe_state::program && now > since_ ? before + now - since_ : before;
}

pe_report pe_account::finish(std::uint64_t end) {
  change(end);
  if (does_.is_busy()) item_end(end);
  const bool ends_idle = has_run_;
  std::array<std::uint64_t, pe_states> idle = times_;
  if (ends_idle) {
    overlap_.relabel_idle_since(last_item_end_);
    const std::array from{pe_state::idle_device, pe_state::idle_timer, pe_state::idle_other};
    const std::array part{chain_wait_device, chain_wait_timer, chain_wait_other};
    for (std::size_t k = 0; k < from.size(); ++k) {
      idle[static_cast<std::size_t>(from[k])] -= after_last_item_[part[k]];
      idle[static_cast<std::size_t>(pe_state::after_last)] += after_last_item_[part[k]];
    }
  }
  overlap_.finish();
  const auto& hidden = overlap_.times();
  const auto& not_begun = overlap_.times(until_begun);
  const auto time = [&](const auto& of, pe_state s) { return of[static_cast<std::size_t>(s)]; };
  report_.parked = parked_time_;
  report_.program = time(times_, pe_state::program);
  report_.runtime = time(times_, pe_state::runtime);
  report_.unrecorded = time(times_, pe_state::unrecorded);
  report_.overlap = {overlap_.length(), report_.program, time(hidden, pe_state::program), overlap_.cut(),
                     overlap_.cut_time()};
  auto& causes = report_.idle;
  causes.before_first = time(idle, pe_state::before_first);
  causes.after_last = time(idle, pe_state::after_last);
  const auto cause = [&](pe_state s, std::uint64_t taken = 0) {
    causes.communication += time(hidden, s);
    causes.waking += without(time(not_begun, s), time(hidden, s));
    return without(time(idle, s), std::max(time(not_begun, s), time(hidden, s)) + taken);
  };
  const auto hidden_while_blocked = hidden[timeline_overlap::blocked];
  causes.communication += hidden_while_blocked;
  causes.device = cause(pe_state::idle_device, hidden_while_blocked);
  causes.timer = cause(pe_state::idle_timer);
  causes.other = cause(pe_state::idle_other);
  report_.idle_awake = without(causes.all(), report_.parked);
  return report_;
}

}  // namespace imbrex::tools
