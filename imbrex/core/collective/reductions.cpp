// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/collective/reductions.hpp>

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/pe/part_request.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

namespace {

/// Stands for a `partial_result` of an all_reduce without contributions.
using bare_report = request_to_part<&reduction_station::add_bare, "bare report">;
/// Sent by a PE to a child whose subtree may be empty: a reduction is in progress.
using reduction_question = request_to_part<&reduction_station::request_report, "reduction question">;
/// Sent by a PE to its parent: the subtree has no elements.
using empty_subtree = request_to_part<&reduction_station::became_empty, "empty subtree">;
/// Sent by a PE to its parent: a broadcast with results has found no elements in the subtree.
using no_answers = request_to_part<&reduction_station::add_no_answers, "no answers">;
/// Sent by a PE to its parent: the subtree has begun its work for a result.
using begun_work = request_to_part<&reduction_station::work_has_begun, "begun work">;
/// Sent from the root down the tree: all PEs have begun.
using work_to_end = request_to_part<&reduction_station::end_work, "work to end">;

}  // namespace

/// One reduction of the results of a broadcast entry.
struct reduction_station::call : gathered_reports {
  std::uint64_t expected = ~std::uint64_t{0};  ///< set when the broadcast has been delivered everywhere
  bool wants_end_alone = false;
  std::uint32_t caller = 0;
  reply_address reply;
};

struct reduction_station::open_reduction {
  std::size_t passed = 0;  ///< number of local elements that have contributed, here or elsewhere
  bool is_requested = false;
  owner<contributions_base> contributions;
};

struct reduction_station::state {
  explicit state(std::int64_t initial_elements) : elements(initial_elements) {}

  /// The work of all PEs for a result.
  struct shared_work {
    int begun = 0;  ///< number of this PE and the children's subtrees that have begun
    carried_exception error;
    owner<shared_result, message_deleter> result;  ///< null until the request has arrived here
  };

  /// A child's latest information about elements in its subtree. The child's notifications may overtake its
  /// reports, and each other: the newest counts.
  struct child_emptiness {
    std::int64_t at = -1;             ///< the reduction to be reported next when the subtree was empty
    std::int64_t last_nonempty = -1;  ///< the last reduction reported with elements
    bool is_empty() const { return at > last_nonempty; }
  };

  std::deque<open_reduction> open;  ///< open reductions from `next_report_` on
  owner<contributions_base> late;   ///< contribution of an element that arrived after the report
  std::map<std::uint64_t, std::vector<reply_address>> waiting;
  std::map<std::uint64_t, owner<exchange_base>> exchanges;
  /// Contributions of elements that arrived after the report, until their values have been taken.
  std::multimap<std::uint64_t, owner<contributions_base>> late_exchanges;
  /// Changes in the number of elements by the first reduction concerned; `change_so_far` sums those before
  /// `next_report_`.
  std::map<std::uint64_t, std::int64_t> changes;
  std::int64_t change_so_far = 0;

  const std::int64_t elements;  ///< initial number of elements of the array
  std::map<std::uint64_t, gathered_reports> totals;
  std::map<std::uint64_t, std::vector<bool>> requests;  ///< children with a request, by open reduction
  std::vector<child_emptiness> emptiness;               ///< by child
  std::map<std::uint64_t, call> calls;
  std::map<std::uint64_t, shared_work> works;
};

reduction_station::reduction_station(local_array& part, std::uint64_t initial_elements)
    : tree_reduction(part, no_section),
      state_(make_owner<state>(static_cast<std::int64_t>(initial_elements))) {
  part.listeners().add(*this);
}

reduction_station::~reduction_station() = default;

int reduction_station::parent() const { return part_.tree().parent; }

const std::vector<int>& reduction_station::children() const { return part_.tree().children; }

owner<exchange_base>& reduction_station::exchange_with(std::uint64_t number) {
  return state_->exchanges[number];
}

bool reduction_station::is_idle() const { return state_->totals.empty() && state_->calls.empty(); }

std::uint64_t reduction_station::begin(chare_header& element, const reply_address& who) {
  if (part_.is_of_singles()) throw_no_peers("all_reduce", element);
  if (element.slot == chare_header::no_slot)
    throw error("all_reduce: " + part_.element_name(element) +
                " is still under construction, and others may take part before it does: call it in an entry");
  const std::uint64_t number = element.reductions++;
  state_->waiting[number].push_back(who);
  return number;
}

reduction_station::open_reduction& reduction_station::open(std::uint64_t number) {
  while (state_->open.size() <= number - next_report_) state_->open.emplace_back();
  return state_->open[number - next_report_];
}

owner<contributions_base>& reduction_station::contributions(std::uint64_t number) {
  if (!has_closed(number)) return open(number).contributions;
  state_->late.reset();  // an exception may have left an old value here
  return state_->late;
}

std::vector<reply_address> reduction_station::take_waiting(std::uint64_t number) {
  const auto at = state_->waiting.find(number);
  if (at == state_->waiting.end()) return {};
  auto who = std::move(at->second);
  state_->waiting.erase(at);
  return who;
}

void reduction_station::take_result(const shared_result& result) {
  const auto at = state_->exchanges.find(result.number);
  const auto exchange = at == state_->exchanges.end() ? nullptr : std::move(at->second);
  if (exchange != nullptr) {
    state_->exchanges.erase(at);
    exchange->complete(result.content());
  }
  const auto waiting = take_waiting(result.number);
  const auto& replies = part_.pe().replies();
  if (exchange == nullptr) {
    for (const auto& who : waiting)
      if (auto* target = replies.find(who)) result.give(*target);
    return;
  }
  for (std::size_t i = 0; i < waiting.size(); ++i)
    if (auto* target = replies.find(waiting[i])) exchange->give(i, *target);
}

void reduction_station::take_work(owner<shared_result, message_deleter> work) {
  const std::uint64_t number = work->number;
  auto& result = state_->works[number].result;
  result = std::move(work);
  carried_exception thrown;
  try {
    result->begin_work();
  } catch (...) {
    thrown = thrown_by_reduction(part_.id());
  }
  work_has_begun(number, thrown);
}

void reduction_station::work_has_begun(std::uint64_t number, const carried_exception& error) {
  auto& w = state_->works[number];
  ++w.begun;
  if (!w.error) w.error = error;
  tell_part(&state_->works, number);
  if (w.begun < part_.tree().reporters()) return;
  tell_complete(&state_->works, number);
  if (is_root()) return end_work(number, carried_exception(w.error));
  send_request<begun_work>(part_, parent(), number, w.error);
}

void reduction_station::end_work(std::uint64_t number, const carried_exception& error) {
  if (!state_->works.contains(number))
    return;  // the work has not arrived here, and the whole subtree knows of the
             // failure
  for (const int child : children()) send_request<work_to_end>(part_, child, number, error);
  const auto work = state_->works.extract(number);
  auto& result = *work.mapped().result;
  carried_exception thrown(error);
  if (!thrown && state_->waiting.contains(number)) {
    try {
      result.end_work();
    } catch (...) {
      thrown = thrown_by_reduction(part_.id());
    }
  }
  if (thrown) return take_failure(number, thrown);
  take_result(result);
}

void reduction_station::take_failure(std::uint64_t number, const carried_exception& error) {
  state_->exchanges.erase(number);
  for (const auto& who : take_waiting(number))
    if (auto* target = part_.pe().replies().find(who)) target->fail(0, error);
}

bool reduction_station::exchange_is_taken(std::uint64_t number) {
  if (state_->exchanges.empty()) return true;
  const auto at = state_->exchanges.find(number);
  return at == state_->exchanges.end() || at->second->flush();
}

void reduction_station::exchange_was_taken(std::uint64_t number) {
  if (!has_closed(number)) return report_what_is_complete();
  const auto [first, last] = state_->late_exchanges.equal_range(number);
  std::vector<owner<contributions_base>> complete;
  for (auto at = first; at != last; ++at) complete.push_back(std::move(at->second));
  state_->late_exchanges.erase(first, last);
  for (auto& alone : complete) add_late(number, std::move(alone));
}

void reduction_station::add_late(std::uint64_t number, owner<contributions_base> alone) {
  if (!exchange_is_taken(number)) {
    state_->late_exchanges.emplace(number, std::move(alone));
    return;
  }
  auto& m = alone->combine(part_.id());
  m.number = number;
  add_error_of_exchange(m);
  dispatch_partial(m, part_.root());
}

void reduction_station::add_error_of_exchange(partial_result& m) const {
  const auto at = state_->exchanges.find(m.number);
  if (at != state_->exchanges.end() && !m.error) m.error = at->second->error();
}

void reduction_station::contributed(std::uint64_t number) {
  if (!part_.creation_failure.empty()) take_failure(number, part_.why_missing({}));
  if (has_closed(number)) return add_late(number, std::move(state_->late));
  ++open(number).passed;
  tell_part(&state_->open, number);
  if (state_->open.front().passed >= part_.locals().size()) report_what_is_complete();
}

void reduction_station::element_inserted(chare_header& element) {
  element.reductions = next_report_;
  ++state_->changes[next_report_];
}

void reduction_station::element_destroyed(const chare_header& element) {
  const std::uint64_t first = element.reductions;
  for (std::uint64_t n = first; n < next_report_; ++n)
    send_request<bare_report>(part_, part_.root(), n, -1, false, false);
  --state_->changes[first < next_report_ ? next_report_ : first];
  element_left(element);
}

void reduction_station::element_arrived(chare_header& element) {
  for (std::uint64_t n = next_report_; n < element.reductions; ++n) ++open(n).passed;
  report_what_is_complete();
}

void reduction_station::element_left(const chare_header& element) {
  for (const auto& [number, exchange] : state_->exchanges)
    if (exchange != nullptr) exchange->element_left();
  for (std::uint64_t n = next_report_; n < element.reductions; ++n) --open(n).passed;
  tell_if_empty();
  report_what_is_complete();
}

void reduction_station::created() { tell_if_empty(); }

void reduction_station::tell_if_empty() {
  if (!part_.locals().empty() || part_.is_of_singles() || !part_.creation_failure.empty()) return;
  const bool root_is_parent = parent() == part_.root();
  part_.became_empty(root_is_parent && subtree_is_empty() ? std::optional(next_report_up_) : std::nullopt);
  if (!root_is_parent) tell_parent_if_empty();
}

void reduction_station::tell_parent_if_empty() {
  if (is_root() || !subtree_is_empty()) return;
  send_request<empty_subtree>(part_, parent(), next_report_up_);
}

bool reduction_station::subtree_is_empty() const {
  return part_.locals().empty() && state_->emptiness.size() == children().size() &&
         std::ranges::all_of(state_->emptiness, &state::child_emptiness::is_empty);
}

void reduction_station::request_report(std::uint64_t number) {
  if (number < next_report_up_) return;  // the report is on its way up, or has arrived
  state_->totals[number];
  goes_on(number);
}

void reduction_station::goes_on(std::uint64_t number) {
  ask_below(number);
  if (has_closed(number)) return;
  open(number).is_requested = true;
  report_what_is_complete();
}

void reduction_station::ask_below(std::uint64_t number) {
  state_->emptiness.resize(children().size());
  for (std::size_t c = 0; c < state_->emptiness.size(); ++c)
    if (state_->emptiness[c].is_empty()) ask(c, number);
}

void reduction_station::ask(std::size_t child, std::uint64_t number) {
  auto& request = state_->requests[number];
  request.resize(state_->emptiness.size());
  if (request[child]) return;
  request[child] = true;
  send_request<reduction_question>(part_, children()[child], number);
}

void reduction_station::report_what_is_complete() {
  while (!state_->open.empty()) {
    const auto& first = state_->open.front();
    const std::size_t here = part_.locals().size();
    if (here > 0 ? first.passed < here : !first.is_requested) return;
    if (!exchange_is_taken(next_report_)) return;
    report_first();
  }
}

void reduction_station::report_first() {
  const std::uint64_t number = next_report_;
  const std::int64_t change = change_until(number);
  const bool has_elements = !part_.locals().empty();
  auto contributions = std::move(state_->open.front().contributions);
  state_->open.pop_front();
  ++next_report_;
  tell_complete(&state_->open, number);
  if (contributions) {
    auto& m = contributions->combine(part_.id());
    m.number = number;
    m.change = change;
    m.is_report = true;
    m.has_elements = has_elements;
    add_error_of_exchange(m);
    return add(m);
  }
  add_bare({part_.pe().pe()}, number, change, true, has_elements);
}

std::int64_t reduction_station::change_until(std::uint64_t number) {
  while (!state_->changes.empty() && state_->changes.begin()->first <= number) {
    state_->change_so_far += state_->changes.begin()->second;
    state_->changes.erase(state_->changes.begin());
  }
  return state_->change_so_far;
}

void reduction_station::reported(std::uint64_t number, int child, bool has_elements) {
  tell_part(&state_->totals, number);
  const std::size_t position = part_.tree().position_of(child);
  if (position < children().size()) {
    state_->emptiness.resize(children().size());
    auto& last = state_->emptiness[position].last_nonempty;
    if (has_elements) last = std::max(last, static_cast<std::int64_t>(number));
  }
  goes_on(number);
  finish(number);
}

void reduction_station::finish(std::uint64_t number) {
  const auto at = state_->totals.find(number);
  if (at == state_->totals.end() || at->second.reports < part_.tree().reporters()) return;
  if (is_root() && static_cast<std::int64_t>(at->second.count) != state_->elements + at->second.change)
    return;
  gathered_reports done = std::move(at->second);
  state_->totals.erase(at);
  state_->requests.erase(number);
  tell_complete(&state_->totals, number);
  const bool has_values = !done.values.empty();
  if (!is_root()) {
    next_report_up_ = std::max(next_report_up_, number + 1);
    const bool has_elements = !subtree_is_empty();
    if (has_values) return report_up(number, std::move(done), has_elements);
    return send_request<bare_report>(part_, parent(), number, done.change, true, has_elements);
  }
  // Without values, all elements that were to take part have been destroyed.
  if (has_values) send_to_members(*done.values.combine(), number);
}

void reduction_station::add(partial_result& part) {
  const bool of_call = part.of == reduction_kind::of_call;
  if (of_call && part.error) part_.pe().run().exception_waits();
  gathered_reports& all = of_call ? state_->calls[part.number] : state_->totals[part.number];
  if (!all.add(part)) return fail_reduction_types(part_);
  if (of_call) return check(part.number);
  reported(part.number, part.is_report ? static_cast<int>(part.origin) : -1, part.has_elements);
}

void reduction_station::add_bare(const requester& from, std::uint64_t number, std::int64_t change,
                                 bool is_report, bool has_elements) {
  if (part_.is_closed()) return;
  auto& all = state_->totals[number];
  all.reports += is_report ? 1 : 0;
  all.change += change;
  reported(number, is_report ? from.pe : -1, has_elements);
}

void reduction_station::add_no_answers(std::uint64_t broadcast) {
  if (part_.is_closed()) return;
  ++state_->calls[broadcast].reports;
  check(broadcast);
}

void reduction_station::expect_answers(std::uint64_t broadcast, std::uint64_t elements, bool wants_end_alone,
                                       std::uint32_t caller, const reply_address& reply) {
  auto& c = state_->calls[broadcast];
  c.expected = elements;
  c.wants_end_alone = wants_end_alone;
  c.caller = caller;
  c.reply = reply;
  check(broadcast);
}

std::vector<carried_exception> reduction_station::held_errors() const {
  std::vector<carried_exception> errors;
  for (const auto& [broadcast, open] : state_->calls)
    if (auto error = open.values.error()) errors.push_back(std::move(error));
  return errors;
}

void reduction_station::became_empty(const requester& child, std::uint64_t next_report) {
  const std::size_t position = part_.tree().position_of(child.pe);
  state_->emptiness.resize(children().size());
  auto& of_child = state_->emptiness[position];
  of_child.at = std::max(of_child.at, static_cast<std::int64_t>(next_report));
  if (!of_child.is_empty()) return;
  // Reports of earlier reductions are on their way.
  for (auto at = state_->totals.lower_bound(next_report); at != state_->totals.end(); ++at)
    ask(position, at->first);
  tell_parent_if_empty();
}

void reduction_station::check(std::uint64_t broadcast) {
  tell_part(&state_->calls, broadcast);
  const auto at = state_->calls.find(broadcast);
  if (at == state_->calls.end() || at->second.reports < part_.tree().reporters()) return;
  if (is_root() && at->second.count != at->second.expected) return;
  call done = std::move(at->second);
  state_->calls.erase(at);
  tell_complete(&state_->calls, broadcast);
  if (!is_root()) {
    if (!done.values.empty()) return report_up(broadcast, std::move(done));
    return send_request<no_answers>(part_, parent(), broadcast);
  }
  if (done.values.empty()) return answer_for_none(done);
  const auto all = done.values.combine();
  if (!all->error && !all->has_value()) return fail_empty_reduction(part_, done.caller, done.reply);
  answer(*all, done.caller, done.reply);
}

void reduction_station::answer_for_none(const call& done) {
  if (done.wants_end_alone) return send_end(done.caller, done.reply);
  fail_empty_reduction(part_, done.caller, done.reply);
}

void reduction_station::array_ends() {
  for (const auto& [broadcast, open] : std::exchange(state_->calls, {}))
    if (open.reply) send_failure(open.caller, open.reply, "a reduction", array_has_ended());
}

void fail_reduction_types(local_array& part) {
  fail_run(part.pe(),
           "the elements of the array of " + std::string(short_name(part.shown_name())) +
               " disagree about a reduction: all must call all_reduce with the same types of value and "
               "operation, in the same order");
}

void throw_no_peers(const char* what, const chare_header& single) {
  throw error(std::string(what) + ": " + single.home->element_name(single) +
              " is a single chare and has no peers: make an array or a group of its class");
}

void fail_empty_reduction(local_array& part, std::uint32_t caller, const reply_address& reply) {
  send_failure(caller, reply, "a reduction",
               carried_exception(
                   std::make_exception_ptr(error("a reduction over no elements: the array or section of " +
                                                 std::string(short_name(part.shown_name())) + " is empty"))));
}

}  // namespace imbrex::detail
