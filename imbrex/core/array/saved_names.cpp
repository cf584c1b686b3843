// SPDX-License-Identifier: Apache-2.0
#include <imbrex/core/array/saved_names.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/core/array/collection.hpp>
#include <imbrex/core/collective/section_table.hpp>
#include <imbrex/core/message/message.hpp>
#include <imbrex/core/message/named_entry.hpp>
#include <imbrex/core/message/wire.hpp>
#include <imbrex/core/name/singles.hpp>
#include <imbrex/core/pe/array_names.hpp>
#include <imbrex/core/pe/run_services.hpp>

namespace imbrex::detail {

namespace {

/// In place of a collection: a proxy that names nothing, or an array that has ended.
constexpr std::uint64_t names_nothing = 0;

[[noreturn]] void throw_not_in_run(const saved_name& name) {
  throw serial_error("a saved proxy names the array \"" + name.text + "\", which is not in this run");
}
[[noreturn]] void throw_not_in_program(const saved_name& name) {
  const bool is_entry = name.what == named_thing::entry || name.what == named_thing::singles_by_name;
  const std::string where_from =
      is_entry ? ": define its class in the program or in a module that it imports before the run" : "";
  throw serial_error("the checkpoint refers to " + name.text + ", which this program has not" + where_from);
}

}  // namespace

saved_name name_of_singles(std::uint64_t collection) {
  const std::uint64_t number = collection & ~singles_bit;
  if (names_single_class(number))
    return {named_thing::singles_by_name, text_of_entry(constructor_of_singles(number))};
  return {named_thing::singles, std::string(message_table::at(static_cast<std::uint32_t>(number)).spelling)};
}

namespace {

/// The class of single chares with that spelling; null if the program has none.
const part_class* class_of_singles(std::string_view chare) {
  for (std::uint32_t id = 0; id < message_table::size(); ++id)
    if (const auto* const its = message_table::at(id).singles; its != nullptr && its->name == chare)
      return its;
  return nullptr;
}

}  // namespace

collection_base* part_of_saved_singles(processor& pe, const saved_name& name, std::string_view chare) {
  const part_class* its = nullptr;
  std::uint64_t number = 0;
  if (name.what == named_thing::singles_by_name) {
    const auto constructor = entry_of_text(name.text);
    if (!constructor) return nullptr;
    its = class_of_singles(chare);
    number = number_of_singles(*constructor);
  } else if (const auto* const kind = message_table::spelled(name.text)) {
    its = kind->singles;
    number = kind->id;
  }
  return its == nullptr ? nullptr
                        : &static_cast<collection_base&>(its->singles_part(pe, singles_bit | number));
}

void names_to_write::take(attachment& part) {
  if (beside_ == nullptr)
    throw error("its serialize names memory beside its bytes, which this checkpoint does not take");
  beside_->take(part);
}

void names_to_write::write_attachments(const chare_header& e, writer& out) {
  beside_ != nullptr ? beside_->write(e, out) : pack_number(0, out);
}

std::uint64_t names_to_write::place_of(saved_name name) {
  const auto [at, is_new] = places_.try_emplace(std::move(name), table_.size());
  if (is_new) table_.push_back(at->first);
  return at->second;
}

std::uint64_t names_to_write::place_of(std::uint64_t number) {
  auto at = places_of_collections_.find(number);
  if (at == places_of_collections_.end())
    at = places_of_collections_.emplace(number, place_of(name_of(number))).first;
  return at->second;
}

saved_name names_to_write::name_of(std::uint64_t number) const {
  if ((number & singles_bit) != 0) return name_of_singles(number);
  const auto* const part = pe_.collection(number);
  if (part == nullptr) {
    pe_.check_run(number, {});
    throw error("a proxy of an array is saved that PE " + std::to_string(pe_.pe()) + " does not know yet");
  }
  const array_origin& origin = part->origin();
  if (origin.name.empty()) {
    const std::string of(short_name(part->shown_name()));
    const bool is_of_python = static_cast<const collection_base*>(part)->chares().is_pickled;
    throw error("a proxy of an array of " + of +
                " is saved that has no name: make that array with one, as in " +
                (is_of_python ? "imbrex.array(" + of + ", shape, named=\"blocks\")"
                              : "imbrex::make_array<" + of + ">(imbrex::dense(shape).named(\"blocks\"))"));
  }
  const auto what = origin.kind == array_kind::group           ? named_thing::group
                    : origin.kind == array_kind::process_group ? named_thing::process_group
                                                               : named_thing::array;
  return {what, lasting_name(origin, part->shown_name())};
}

void names_to_write::write_collection(std::uint64_t in_proxy, writer& out) {
  const std::uint64_t number = pe_.number_of(in_proxy);
  if (in_proxy == nothing_created || pe_.has_ended(number)) return pack_number(names_nothing, out);
  pack_number(place_of(number) + 1, out);
}

void names_to_write::write_key(std::uint64_t in_proxy, std::uint64_t key, writer& out) {
  if ((pe_.number_of(in_proxy) & singles_bit) == 0 || in_proxy == nothing_created)
    return pack_number(key, out);
  place_of(pe_.number_of(in_proxy));
  const single_keys keys(pe_.num_pes());
  pack_number(static_cast<std::uint64_t>(keys.creator(key)), out);
  pack_number(static_cast<std::uint64_t>(keys.home(key)), out);
  pack_number(keys.number(key), out);
}

void names_to_write::write_section(std::uint64_t in_proxy, std::uint64_t id, writer& out) {
  const std::uint64_t number = pe_.number_of(in_proxy);
  if (in_proxy != nothing_created && !pe_.has_ended(number)) place_of(number);
  out(id);
}

void names_to_write::write_kind(const message_type& kind, writer& out) {
  auto at = places_of_kinds_.find(&kind);
  if (at == places_of_kinds_.end())
    at = places_of_kinds_.emplace(&kind, place_of({named_thing::message, std::string(kind.spelling)})).first;
  pack_number(at->second + 1, out);
}

void names_to_write::write_entry(const entry_name& which, writer& out) {
  auto at = places_of_entries_.find(which.number);
  if (at == places_of_entries_.end())
    at = places_of_entries_.emplace(which.number, place_of({named_thing::entry, text_of_entry(which)})).first;
  pack_number(at->second + 1, out);
}

namespace {

/// The number of sections that nobody has.
constexpr std::uint64_t no_such_section = (std::uint64_t{1} << section_bits) - 1;

/// The number in `of` for what was saved as `old`, or `otherwise`.
template <class Old>
std::uint64_t number_in(const std::map<std::string, std::map<Old, std::uint64_t>>& of,
                        const std::string& name, const Old& old, std::uint64_t otherwise) {
  const auto all = of.find(name);
  if (all == of.end()) return otherwise;
  const auto at = all->second.find(old);
  return at != all->second.end() ? at->second : otherwise;
}

}  // namespace

void saved_numbers::number(int pes) {
  const single_keys keys(pes);
  destroyed_ = keys.key_of(0, 0, keys.first_saved());
  for (auto& [name, singles] : singles_) {
    std::map<std::pair<int, int>, std::uint64_t> last;
    for (auto& [one, key] : singles) {
      const int home = one.home % pes;
      const int creator = one.creator % pes;
      key = keys.key_of(home, creator, keys.first_saved() + ++last[{home, creator}]);
    }
  }
  std::map<std::uint64_t, std::uint64_t> sections_of;
  for (auto& [name, sections] : sections_)
    for (auto& [old, id] : sections) {
      const std::uint64_t root = (old >> section_bits) % static_cast<std::uint64_t>(pes);
      id = root << section_bits | sections_of[root]++;
    }
}

std::uint64_t saved_numbers::single(const std::string& name, const saved_single& one) const {
  return number_in(singles_, name, one, destroyed_);
}

std::uint64_t saved_numbers::section(const std::string& name, std::uint64_t old) const {
  return number_in(sections_, name, old, no_such_section);
}

names_to_read::names_to_read(std::vector<saved_name> table,
                             const std::map<std::string, std::uint64_t>& numbers, const saved_numbers& saved,
                             attachment_reader* beside, processor& pe)
    : pe_(pe), beside_(beside), table_(std::move(table)), saved_(saved) {
  for (const saved_name& name : table_) {
    resolved one{&name};
    switch (name.what) {
      case named_thing::array:
      case named_thing::group:
      case named_thing::process_group:
        if (!numbers.contains(name.text)) throw_not_in_run(name);
        one.collection = numbers.at(name.text);
        break;
      case named_thing::singles:
        one.kind = message_table::spelled(name.text);
        if (one.kind == nullptr) throw_not_in_program(name);
        one.collection = singles_bit | one.kind->id;
        break;
      case named_thing::singles_by_name:
      case named_thing::entry:
        if (const auto its = entry_of_text(name.text)) one.entry = *its;
        if (one.entry == entry_name{}) throw_not_in_program(name);
        if (one.is_of_singles()) one.collection = singles_bit | number_of_singles(one.entry);
        break;
      case named_thing::message: one.kind = message_table::spelled(name.text); [[fallthrough]];
      default:
        if (one.kind == nullptr) throw_not_in_program(name);
    }
    resolved_.push_back(one);
  }
}

void names_to_read::give(attachment& part, std::size_t size) {
  if (beside_ == nullptr)
    throw serial_error("its serialize reads memory beside its bytes, of which the checkpoint has none");
  beside_->give(part, size);
}

void names_to_read::read_attachments(reader& in) {
  if (beside_ != nullptr) return beside_->read(in);
  if (unpack_number(in) != 0)
    throw serial_error("it was saved with memory beside its bytes, which is not read here");
}

void names_to_read::complete(chare_header& e) {
  if (beside_ != nullptr) beside_->complete(e);
}

const names_to_read::resolved& names_to_read::at(std::uint64_t place) const {
  if (place == 0 || place > resolved_.size())
    throw serial_error("a saved value refers to name " + std::to_string(place) + " of " +
                       std::to_string(resolved_.size()));
  return resolved_[place - 1];
}

const names_to_read::resolved* names_to_read::find(std::uint64_t in_proxy) const {
  const std::uint64_t number = pe_.number_of(in_proxy);
  const auto found = std::ranges::find_if(
      resolved_, [&](const resolved& each) { return each.collection == number && each.is_array(); });
  return in_proxy != nothing_created && found != resolved_.end() ? &*found : nullptr;
}

std::uint64_t names_to_read::read_collection(reader& in) {
  const std::uint64_t place = unpack_number(in);
  if (place == names_nothing) return nothing_created;
  const resolved& found = at(place);
  if (!found.is_array())
    throw serial_error("a saved proxy names " + found.name->text + ", which is no array");
  return pe_.in_proxy(found.collection);
}

std::uint64_t names_to_read::read_key(std::uint64_t in_proxy, reader& in) {
  const resolved* const of = find(in_proxy);
  if (of != nullptr && of->is_of_singles()) {
    saved_single one;
    one.creator = static_cast<std::int32_t>(unpack_short_number(in) & 0x7fffffffU);
    one.home = static_cast<std::int32_t>(unpack_short_number(in) & 0x7fffffffU);
    one.number = unpack_number(in);
    return saved_.single(of->name->text, one);
  }
  const std::uint64_t key = unpack_number(in);
  const int size = size_of_group(in_proxy);
  if (size >= 0 && key >= static_cast<std::uint64_t>(size))
    throw serial_error("a saved proxy names chare " + std::to_string(key) + " of the " + of->name->text +
                       ", which has " + std::to_string(size) + " in this run");
  return key;
}

int names_to_read::size_of_group(std::uint64_t in_proxy) const {
  const resolved* const of = find(in_proxy);
  if (of != nullptr && of->name->what == named_thing::group) return pe_.num_pes();
  if (of != nullptr && of->name->what == named_thing::process_group) return pe_.run().processes();
  return -1;
}

std::uint64_t names_to_read::read_section(std::uint64_t in_proxy, reader& in) {
  std::uint64_t id = 0;
  in(id);
  const resolved* const of = find(in_proxy);
  return saved_.section(of != nullptr ? of->name->text : std::string(), id);
}

const message_type& names_to_read::read_kind(reader& in) {
  const resolved& found = at(unpack_number(in));
  if (found.name->what != named_thing::message)
    throw serial_error("a saved value names " + found.name->text + ", which is no entry");
  return *found.kind;
}

entry_name names_to_read::read_entry(reader& in) {
  const resolved& found = at(unpack_number(in));
  if (found.name->what != named_thing::entry)
    throw serial_error("a saved value names " + found.name->text + ", which is no entry");
  return found.entry;
}

}  // namespace imbrex::detail
