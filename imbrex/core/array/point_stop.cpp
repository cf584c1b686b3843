// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/point_stop.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <imbrex/core/array/element_collection.hpp>

namespace imbrex::detail {

namespace {

/// True if the entry is the element's only suspended one, so that the element can leave.
bool is_alone(const stopped_entry& stopped) {
  const scope* const entries = stopped.element().entries;
  return entries == &stopped.entry() && entries->next == nullptr;
}

/// Elements of groups, and of classes that cannot migrate, never stop.
void stop_elements(local_array& part, bool are_stopped) {
  const int before = place_to_stay(part);
  part.stops_elements = are_stopped && part.can_migrate();
  for (chare_header* const each : part.locals())
    if (each->destination == before) each->destination = place_to_stay(part);
  if (are_stopped) return;
  // Elements without entries leave now that were asked to meanwhile.
  for (chare_header* const each : part.locals())
    if (each->destination >= 0 && each->entries == nullptr && !std::exchange(each->departure_queued, true))
      push_departure(*each, nullptr);
}

}  // namespace

const work_type stopped_entry::kind{"end of a stop", &stopped_entry::run, &stopped_entry::forget, nullptr,
                                    nullptr};

stopped_entry::stopped_entry(const waiter& who, message* restart, scope& entry)
    : waiter_(who), restart_(restart) {
  type = &kind;
  begin(entry);
}

stopped_entry::~stopped_entry() {
  if (restart_ != nullptr) restart_->type->destroy(*restart_);
}

void stopped_entry::run(work& item) {
  auto* const self = static_cast<stopped_entry*>(&item);
  const waiter who = self->waiter_;
  if (who) {
    processor::running_here().local<point_stop>().take_out(*self);
    self->end();
  }
  delete self;
  if (who) who.resume();
}

void stopped_entry::forget(work& item) noexcept { delete static_cast<stopped_entry*>(&item); }

bool must_stop(const chare_header& element) { return element.home->stops_elements; }

point_stop::~point_stop() {
  for (auto* const each : entries_)
    if (!each->is_queued_) delete each;
}

void point_stop::begin() {
  is_active_ = true;
  auto& pe = processor::running_here();
  pe.executors().ignore(true);  // one that the program holds for long must not stop its elements as long
  pe.for_each_collection([](collection_part& part) { stop_elements(static_cast<local_array&>(part), true); });
}

void point_stop::begin_for(local_array& part) const {
  if (is_active_) stop_elements(part, true);
}

void point_stop::end() {
  is_active_ = false;
  auto& pe = processor::running_here();
  pe.executors().ignore(false);
  pe.for_each_collection(
      [](collection_part& part) { stop_elements(static_cast<local_array&>(part), false); });
  for (auto* const each : std::vector(entries_)) {
    chare_header& e = each->element();
    const bool leaves = e.destination >= 0 && each->restart_ != nullptr;
    if (leaves && is_alone(*each) && !is_bound_to_stay(e)) {
      take_out(*each);
      push_departure(e, std::exchange(each->restart_, nullptr));
      each->leave_entry();
      delete each;
      continue;
    }
    if (leaves && !e.asks_itself) refuse_departure(e);
    go_on(*each);
  }
}

void point_stop::step() {
  for (auto* const each : std::vector(entries_)) go_on(*each);
}

void point_stop::step(const chare_header& element) {
  for (stopped_entry* const each : entries_of(element)) go_on(*each);
}

void point_stop::go_on(stopped_entry& entry) {
  if (!std::exchange(entry.is_queued_, true)) processor::running_here().push(entry);
}

bool point_stop::leaves_out(const local_array& part) const {
  return std::ranges::find(left_out_, &part) != left_out_.end();
}

void point_stop::add(const waiter& who, message* restart, scope& entry) {
  auto& added = *new stopped_entry(who, restart, entry);
  added.slot_ = entries_.size();
  entries_.push_back(&added);
}

void point_stop::take_out(const stopped_entry& entry) {
  stopped_entry* const last = entries_.back();
  entries_[entry.slot_] = last;
  last->slot_ = entry.slot_;
  entries_.pop_back();
}

std::vector<stopped_entry*> point_stop::entries_of(const chare_header& element) {
  std::vector<stopped_entry*> found;
  for (const scope* s = element.entries; s != nullptr; s = s->next)
    for (suspension* w = s->waits; w != nullptr; w = w->next())
      if (auto* const its = dynamic_cast<stopped_entry*>(w)) found.push_back(its);
  return found;
}

void point_stop::drop(const chare_header& element) {
  if (entries_.empty()) return;
  for (stopped_entry* const each : entries_of(element)) {
    take_out(*each);
    each->leave_entry();
    each->waiter_ = {};
    if (!each->is_queued_) delete each;
  }
}

void drop_stopped_entries(const chare_header& element) {
  element.home->pe().local<point_stop>().drop(element);
}

}  // namespace imbrex::detail
