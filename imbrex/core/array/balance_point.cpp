// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/balance_point.hpp>

#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/point_stop.hpp>
#include <imbrex/core/pe/load_meter.hpp>

namespace imbrex::detail {

namespace {

/// Another suspended entry of the chare; null if there is none.
const scope* suspended_beside(const chare_header& e, const scope& entry) {
  const scope* s = e.entries;
  while (s == &entry) s = s->next;
  return s;
}

[[noreturn]] void throw_cannot_migrate(const chare_header& e, const scope& suspended) {
  std::string text = e.home->element_name(e) + " cannot migrate at its balance_point: its entry " +
                     std::string(static_cast<const message*>(suspended.request)->shown_kind().entry_name) +
                     " is suspended too";
  if (suspended.waits != nullptr) text += ", waiting for " + suspended.waits->description();
  throw error(text + ". A frame cannot travel: let the other entry end first");
}

}  // namespace

bool check_balance_point(const scope& entry, const waiter& who) {
  if (entry.chare == nullptr || entry.body != who.object())
    throw error(
        "balance_point must be awaited by the entry method itself, not by a task that it awaits: the frame "
        "of the entry ends "
        "there");
  auto& e = *static_cast<chare_header*>(entry.chare);
  const scope* const other = suspended_beside(e, entry);
  if (must_stop(e) || (other == nullptr && !is_bound_to_stay(e))) return true;
  if (e.asks_itself) throw_cannot_migrate(e, *other);
  refuse_departure(e);
  return false;
}

void pass_balance_point(const waiter& who, scope& entry, message& restart) {
  auto& e = *static_cast<chare_header*>(entry.chare);
  if (!must_stop(e)) return push_departure(e, &restart);
  e.home->pe().local<point_stop>().add(who, &restart, entry);
}

void count_balance_point(chare_header& element) { element.home->pe().loads()->count_balance_point(element); }

}  // namespace imbrex::detail
