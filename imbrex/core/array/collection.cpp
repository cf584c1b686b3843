// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/collection.hpp>

#include <exception>
#include <limits>
#include <optional>
#include <string>

#include <imbrex/base/error.hpp>
#include <imbrex/core/pe/run_marks.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

void throw_another_class(std::string_view chare_name, const collection_part& part) {
  const std::string named(short_name(chare_name));
  throw error("a proxy of " + named + " names an object of " + std::string(short_name(part.shown_name())) +
              " in this run: proxies are valid only within their run");
}

std::uint64_t number_of_singles(entry_name constructor) {
  const std::uint32_t number = message_table::size() + constructor.number;
  run_marks::note_place(number);
  return number;
}

namespace {

/// The inverse of `number_of_singles`; empty if the number belongs to no such class.
std::optional<entry_name> find_constructor(std::uint64_t number) {
  const std::uint32_t of_classes = message_table::size();
  if (number <= of_classes || number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  const entry_name constructor{static_cast<std::uint32_t>(number) - of_classes};
  return kind_of_name(constructor) != nullptr ? std::optional(constructor) : std::nullopt;
}

}  // namespace

bool names_single_class(std::uint64_t number) { return find_constructor(number).has_value(); }

entry_name constructor_of_singles(std::uint64_t number) { return *find_constructor(number); }

std::string_view shown_class_of_singles(std::uint64_t number) {
  return constructor_of_singles(number).definition().chare;
}

namespace {

/// Throws imbrex::error: a message names single chares that are not of its class.
[[noreturn]] void throw_no_such_singles(std::string_view chare_name, std::uint64_t number) {
  throw serial_error("a message for a chare of " + std::string(short_name(chare_name)) +
                     " names the single chares number " + std::to_string(number & ~singles_bit) +
                     ", which are of another class");
}

}  // namespace

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

collection_part* find_part(processor& pe, message& m, const part_class& of) {
  if (auto* const part = pe.collection_of(m.collection, of.name)) return part;
  if (auto* const part = pe.collection(m.collection)) {
    const message_guard guard(m);
    throw_another_class(of.shown_name, *part);
  }
  if (of.is_of_single(m.collection)) return &of.singles_part(pe, m.collection);
  if ((m.collection & singles_bit) != 0) {
    const message_guard guard(m);
    pe.check_run(m.collection, of.shown_name, m.shown_kind().entry_name);
    throw_no_such_singles(of.shown_name, m.collection);
  }
  if (pe.has_ended(m.collection)) {
    refuse_ended(m, of.shown_name);
    return nullptr;
  }
  pe.hold(m);
  return nullptr;
}

}  // namespace imbrex::detail
