// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/pe/local_array.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/message/carried_exception.hpp>
#include <imbrex/core/pe/run_services.hpp>
#include <imbrex/net/packing.hpp>
#include <imbrex/sched/observer.hpp>

namespace imbrex::detail {

namespace {

[[noreturn]] void rethrow_order_failure(const local_array& part) {
  throw error("the order of the keys of the array of " + std::string(short_name(part.shown_name())) +
              " on PE " + std::to_string(part.pe().pe()) + ", operator< or their serialize, threw " +
              describe_current_exception());
}

}  // namespace

struct local_array::section_place_table {
  std::map<std::uint64_t, owner<section_place_base>> places;
};

local_array::local_array(processor& pe, std::uint64_t id, const class_names& of, const stations& its)
    : collection_part(id, of),
      pe_(pe),
      broadcasts_(its.broadcasts),
      reductions_(its.reductions),
      ending_(its.ending),
      tree_(place_in_tree(pe.pe(), root_of(id, pe.num_pes()), pe.num_pes(), pe.run().host_starts())) {}

local_array::~local_array() = default;

owner<section_place_base>& local_array::section_place(std::uint64_t id) {
  if (!section_places_) section_places_ = make_owner<section_place_table>();
  return section_places_->places[id];
}

void local_array::describe_missing_in_sections(std::vector<std::string>& lines, std::size_t most) const {
  if (!section_places_) return;
  for (const auto& [id, place] : section_places_->places) place->describe_missing(lines, most);
}

std::string_view local_array::port_name(const chare_header& element, const void* port) const {
  return message_table::port_name(chare_name(), object(element), port);
}

carried_exception local_array::why_missing(const std::string& element) const {
  if (creation_failure.empty())
    return carried_exception(std::make_exception_ptr(error(element + " has been destroyed")));
  reader in(creation_failure);
  carried_exception why;
  in(why);
  return why;
}

void local_array::sort_locals() {
  if (sorted_) return;
  try {
    std::sort(locals_.begin(), locals_.end(), [this](auto* a, auto* b) { return before(*a, *b); });
  } catch (...) {
    rethrow_order_failure(*this);
  }
  for (std::size_t i = 0; i < locals_.size(); ++i) locals_[i]->slot = static_cast<std::uint32_t>(i);
  sorted_ = true;
}

void local_array::add_local(chare_header& element) {
  try {
    sorted_ = sorted_ && (locals_.empty() || before(*locals_.back(), element));
  } catch (...) {
    rethrow_order_failure(*this);
  }
  locals_.push_back(&element);
  element.slot = static_cast<std::uint32_t>(locals_.size() - 1);
  if (const auto* const observers = pe_.element_observers()) [[unlikely]]
    observers->entered(*this, element, element.epoch == element.born);
}

void local_array::remove_local(chare_header& element) {
  if (pe_.element_observers() != nullptr) [[unlikely]]
    return remove_observed(element);
  drop_local(element);
}

void local_array::remove_observed(chare_header& element) {
  if (element.travels)
    pe_.element_observers()->tell([&](observer& o) { o.departs(*this, element, element.destination); });
  else
    pe_.element_observers()->destroyed(*this, element);
  drop_local(element);
}

void local_array::drop_local(chare_header& element) {
  chare_header* last = locals_.back();
  locals_.pop_back();
  const std::uint32_t slot = std::exchange(element.slot, chare_header::no_slot);
  if (last == &element) return;
  locals_[slot] = last;
  last->slot = slot;
  sorted_ = false;
}

void retry_departure(const scope& entry) {
  auto& e = *static_cast<chare_header*>(entry.chare);
  if (e.destination == place_to_stay(*e.home) || e.dying) return;
  const bool asks_itself = e.asks_itself;
  e.home->move(e, e.destination);
  e.asks_itself = asks_itself;
}

}  // namespace imbrex::detail
