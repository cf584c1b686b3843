// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/element_collection.hpp>

#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

template class element_collection<index<1>>;
template class element_collection<index<2>>;
template class element_collection<index<3>>;
template struct saving_functions_of<index<1>>;
template struct saving_functions_of<index<2>>;
template struct saving_functions_of<index<3>>;

namespace {

/// Work on one element, to be done after the current entry.
struct after_entry : work {
  chare_header* element = nullptr;
  message* restart = nullptr;
};

void push_after_entry(const work_type& what, chare_header& element, message* restart) {
  auto& after = *::new (pool::allocate(sizeof(after_entry))) after_entry();
  after.type = &what;
  after.element = &element;
  after.restart = restart;
  element.home->pe().after().push(after);
}

void destroy_after_entry(work& item) noexcept {
  auto& after = static_cast<after_entry&>(item);
  if (after.restart != nullptr) after.restart->type->destroy(*after.restart);
  pool::release(&after, sizeof after);
}

[[noreturn]] void throw_pinned(const chare_header& element) {
  throw error("migrate_to: " + element.home->element_name(element) +
              " belongs to a group, whose chares stay on their PEs: make an array of its class");
}

collection_base& part_of(const chare_header& element) { return static_cast<collection_base&>(*element.home); }

/// True if the element's entries allow a move to PE `to`: none is suspended, or the move stays in the process
/// and the entries move along. An element that moves with its entries leaves without any only by its own
/// wish.
bool entries_can_move(const chare_header& element, int to) {
  if (element.entries == nullptr) return !part_of(element).chares().moves_with_entries || element.asks_itself;
  if (!element.home->pe().run().holds(to)) return false;
  for (const scope* s = element.entries; s != nullptr; s = s->next) {
    if (!s->kind->can_move || s->waits == nullptr) return false;
    for (const suspension* w = s->waits; w != nullptr; w = w->next())
      if (!w->can_move()) return false;
  }
  return true;
}

/// Throws imbrex::error: code requested that a migrating element move or end.
[[noreturn]] void throw_travelling(const char* what, const chare_header& element) {
  const std::string name = element.home->element_name(element);
  throw error(std::string(what) + ": " + name +
              " is on its way to another PE, which runs the default constructor of " +
              std::string(short_name(element.home->shown_name())) +
              " and serialize: neither may request its migration or end, but its entries and its other "
              "constructors may");
}

void run_departure(work& item) {
  auto& after = static_cast<after_entry&>(item);
  auto& e = *after.element;
  auto* restart = std::exchange(after.restart, nullptr);
  pool::release(&after, sizeof after);
  auto& part = part_of(e);
  if (e.dying) {
    if (restart != nullptr) restart->type->destroy(*restart);
    return;
  }
  const element_work runs(part.pe(), e);
  if (restart != nullptr) {
    end_scope(*e.entries);  // the only one, at its balance point
  } else {
    e.departure_queued = false;
    // if not now, at the next balance point or when a movable body waits again
    if (e.destination == place_to_stay(part) || !entries_can_move(e, e.destination)) return;
    if (is_bound_to_stay(e)) return refuse_departure(e);
  }
  part.depart(e, e.destination, restart);
}

constexpr work_type departure{"migration", &run_departure, &destroy_after_entry, nullptr, nullptr};

void run_destruction(work& item) {
  auto& after = static_cast<after_entry&>(item);
  auto& e = *after.element;
  pool::release(&after, sizeof after);
  auto& part = part_of(e);
  const element_work runs(part.pe(), e);
  part.destroy(e);
}

constexpr work_type destruction{"destruction", &run_destruction, &destroy_after_entry, nullptr, nullptr};

}  // namespace

void push_departure(chare_header& element, message* restart) {
  push_after_entry(departure, element, restart);
}

bool is_bound_to_stay(const chare_header& element) {
  const auto& of_class = part_of(element).chares();
  return !element.asks_itself && (is_bound_elsewhere(element, of_class) ||
                                  has_bound_elsewhere(const_cast<chare_header&>(element), of_class));
}

void refuse_departure(chare_header& element) {
  if (const auto* const observers = element.home->pe().element_observers())
    observers->tell([&](observer& o) { o.stays(*element.home, element, element.destination); });
  element.destination = place_to_stay(*element.home);
}

void drop_after_entry(const chare_header& element) {
  work_queue& after = element.home->pe().after();
  for (work_queue queued = std::exchange(after, {}); !queued.empty();) {
    work& item = queued.pop();
    const bool is_for_element = item.type == &departure || item.type == &destruction;
    if (is_for_element && static_cast<after_entry&>(item).element == &element)
      item.type->destroy(item);
    else
      after.push(item);
  }
}

void request_migration(chare_header& e, int to, bool asks_itself) {
  auto& pe = e.home->pe();
  if (to < 0 || to >= pe.num_pes()) throw_wrong_pe("migrate_to", to, pe.num_pes());
  if (to != pe.pe() && e.home->is_pinned()) throw_pinned(e);
  if (e.dying) return;
  if (e.travels) throw_travelling("migrate_to", e);
  e.destination = to == pe.pe() ? place_to_stay(*e.home) : to;
  e.asks_itself = asks_itself;
  // Elements that have stopped for a checkpoint stay until the stop's end (`point_stop`).
  const bool leaves = to != pe.pe() && !e.home->stops_elements;
  if (leaves && !std::exchange(e.departure_queued, true)) push_departure(e, nullptr);
}

void destroy_later(chare_header& e) {
  if (e.dying) return;
  if (e.travels) throw_travelling("destroy", e);
  e.dying = true;
  push_after_entry(destruction, e, nullptr);
}

void throw_saved_outside(std::string_view chare_name, const std::string& index, const std::string& shape) {
  throw serial_error("a saved element of " + std::string(short_name(chare_name)) + " has " +
                     (index.empty() ? "an index of another number of dimensions" : "the index " + index) +
                     ", which the array of shape " + shape + " has not");
}

void throw_saved_twice(const std::string& element) {
  throw error(element + " was read from a checkpoint twice");
}

void throw_not_migratable(const chare_header& element) {
  throw error(element.home->element_name(element) +
              " cannot migrate: its class needs a default constructor and `void serialize(auto& ar)` with "
              "all members");
}

}  // namespace imbrex::detail
