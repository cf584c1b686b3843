// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/collection.hpp>

#include <exception>
#include <limits>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/core/pe/run_marks.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

namespace {

/// Rethrows the current exception with `before` prepended to its text.
[[noreturn]] void rethrow_with(const std::string& before) {
  try {
    throw;
  } catch (const foreign_error& e) {
    throw foreign_error(before + e.what(), e.form());
  } catch (...) {
    throw error(before + describe_current_exception());
  }
}

}  // namespace

void throw_another_class(std::string_view chare_name, const collection_part& part) {
  const std::string named(short_name(chare_name));
  throw error("a proxy of " + named + " names an object of " + std::string(short_name(part.shown_name())) +
              " in this run: proxies are valid only within their run");
}

void throw_no_such_singles(std::string_view chare_name, std::uint64_t number) {
  throw serial_error("a message for a chare of " + std::string(short_name(chare_name)) +
                     " names the single chares number " + std::to_string(number & ~singles_bit) +
                     ", which are of another class");
}

std::uint64_t number_of_singles(entry_name constructor) {
  const std::uint32_t number = message_table::size() + constructor.number;
  run_marks::note_place(number);
  return number;
}

std::optional<entry_name> constructor_of_singles(std::uint64_t number) {
  const std::uint32_t of_classes = message_table::size();
  if (number <= of_classes || number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  const entry_name constructor{static_cast<std::uint32_t>(number) - of_classes};
  return kind_of_name(constructor) != nullptr ? std::optional(constructor) : std::nullopt;
}

void refuse_ended(message& m, std::string_view chare_name) {
  const message_guard guard(m);
  if (m.may_find_none) return answer_none_found(m);
  const message_type& kind = m.shown_kind();
  const std::string name(short_name(kind.chare_name.empty() ? chare_name : kind.chare_name));
  std::string who = "a message for an array of " + name;
  if (!kind.entry_name.empty()) who += ", entry " + std::string(kind.entry_name);
  fail_request(m, who + ", sent by PE " + std::to_string(m.origin),
               carried_exception(std::make_exception_ptr(
                   error("that array of " + name +
                         " has ended: it was destroyed, or all its initial elements were, and many more "
                         "arrays since; make another, or make it by sparse() to fill it again"))));
}

void throw_pinned(const chare_header& element) {
  throw error("migrate_to: " + element.home->element_name(element) +
              " belongs to a group, whose chares stay on their PEs: make an array of its class");
}

void throw_not_migratable(const chare_header& element) {
  throw error(element.home->element_name(element) +
              " cannot migrate: its class needs a default constructor and `void serialize(auto& ar)` with "
              "all members");
}

bool entries_can_move(const chare_header& element, int to) {
  if (element.entries == nullptr) return true;
  if (!element.home->pe().run().holds(to)) return false;
  for (const scope* s = element.entries; s != nullptr; s = s->next) {
    if (!s->kind->can_move || s->waits == nullptr) return false;
    for (const suspension* w = s->waits; w != nullptr; w = w->next())
      if (!w->can_move()) return false;
  }
  return true;
}

void throw_travelling(const char* what, const chare_header& element) {
  const std::string name = element.home->element_name(element);
  throw error(std::string(what) + ": " + name +
              " is on its way to another PE, which runs the default constructor of " +
              std::string(short_name(element.home->shown_name())) +
              " and serialize: neither may request its migration or end, but its entries and its other "
              "constructors may");
}

void rethrow_travel_failure(const char* doing, const chare_header& element) {
  rethrow_with(std::string(doing) + " of " + element.home->element_name(element) +
               ", which migrates, threw ");
}

void rethrow_construction_failure(const std::string& name, int pe) {
  rethrow_with("the constructor of " + name + " on PE " + std::to_string(pe) + " threw ");
}

void push_after_entry(const work_type& what, chare_header& element, message* restart) {
  auto& after = *::new (pool::allocate(sizeof(after_entry))) after_entry();
  after.type = &what;
  after.element = &element;
  after.restart = restart;
  element.home->pe().push_after(after);
}

void drop_after_entry(const chare_header& element) {
  element.home->pe().drop_after(
      [&](work& item) { return static_cast<after_entry&>(item).element == &element; });
}

void destroy_after_entry(work& item) noexcept {
  auto& after = static_cast<after_entry&>(item);
  if (after.restart != nullptr) after.restart->type->destroy(*after.restart);
  pool::release(&after, sizeof after);
}

}  // namespace imbrex::detail
