// SPDX-License-Identifier: Apache-2.0
#include <imbrex/checkpoint/driver/restoration.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include <imbrex/base/error.hpp>
#include <imbrex/base/log.hpp>
#include <imbrex/checkpoint/driver/store.hpp>
#include <imbrex/core/extension/device.hpp>
#include <imbrex/core/pe/promise.hpp>

namespace imbrex::checkpoints::detail {

namespace {

/// The restorations of a PE.
struct restorations {
  array_numbers numbers;           ///< on PE 0
  std::set<std::string> restored;  ///< names of arrays; on PE 0
  bool has_singles = false;        ///< the PE's single chares have been read
  bool has_warned = false;         ///< arrays that are left out have been named
};

/// Reads from a checkpoint by a function. All that the program cannot read is the user's to know.
template <class Read>
auto read_from(const restart_source& source, const Read& read) {
  try {
    return read();
  } catch (const usage_error&) {
    throw;
  } catch (const error& e) {
    throw usage_error(source.chosen().path + ": " + e.what());
  }
}

/// A class that the writing run has not restored itself has no schema.
void check_schema(const std::string& what, const class_schema& written, const class_schema& present) {
  if (written.name.empty()) return;
  const std::string problem = difference(written, present);
  if (!problem.empty()) throw usage_error(what + " of the checkpoint cannot be read: " + problem);
}

/// Reads the records of this PE's elements of an array into its part.
std::vector<extension::saved_element> read_elements(const restart_source& source, const array_in_parts& its,
                                                    const extension::part_to_fill& part,
                                                    const array_numbers& numbers,
                                                    const extension::saved_numbers& saved,
                                                    extension::members_to_read& members) {
  const extension::current_pe pe;
  const bool are_as_many = source.chosen().contents.pes == pe.count();
  std::vector<extension::saved_element> elements;
  const versions_of_schema versions(its.schema);
  for (const auto& [p, section] : its.sections) {
    const part_reader& from = source.parts()[p];
    std::optional<extension::names_to_read> names;
    const tables_of_pe* tables = nullptr;
    for (std::size_t r = 0; r < from.records(section); ++r) {
      const tables_of_pe& of_record = source.tables_of(its.what.name, p, r);
      if (std::exchange(tables, &of_record) != &of_record)
        names.emplace(of_record.names, numbers, saved, &members);
      const auto key = [&] {
        reader in(from.key(section, r));
        in.carry_by(*names);
        return in;
      };
      reader of_home = key();
      const int home = part.home_of(*names, of_home);
      const int place = are_as_many ? of_record.pe : home;
      if (home == pe.number() && place != home) {
        reader moved = key();
        part.note_elsewhere(*names, moved, place);
      }
      if (place != pe.number()) continue;
      reader in(from.record(section, r));
      in.at_version(versions.place());
      elements.push_back(part.read(*names, in));
      in.finish();
    }
  }
  return elements;
}

/// Lets entries go on that nobody awaited.
void let_go_on(std::vector<extension::saved_element>& elements) {
  for (auto& each : elements)
    if (!each.was_awaited) extension::go_on(each);
}

void reserve_numbers(const array_numbers& numbers) {
  for (const auto& [name, number] : numbers) extension::reserve_number(name, number);
}

/// Reads this PE's single chares, once in a run, and reserves the numbers of all arrays.
void begin_on_pe(const restart_source& source, const array_numbers& numbers,
                 const extension::saved_numbers& saved) {
  reserve_numbers(numbers);
  auto& state = extension::current_pe().local<restorations>();
  if (std::exchange(state.has_singles, true)) return;
  for (const auto& [name, its] : source.arrays()) {
    if (its.what.kind != extension::array_kind::singles) continue;
    const auto part = extension::part_to_fill::of_singles(its.what);
    extension::members_to_read members;
    auto elements = read_elements(source, its, part, numbers, saved, members);
    let_go_on(elements);
  }
}

/// Tells a PE to read its single chares.
struct restoration_of_singles final : extension::message_to_pe {
  array_numbers numbers;

  static inline extension::message_kind type_record =
      extension::register_kind<restoration_of_singles>({"restoration of single chares"});
  void serialize(auto& ar) { ar(numbers); }
  void deliver() {
    const extension::message_guard guard(*this);
    const restart_source& source = *store_here()->source();
    const extension::saved_numbers saved = source.numbers(extension::current_pe().count());
    read_or_end_run([&] { read_from(source, [&] { begin_on_pe(source, numbers, saved); }); });
  }
};

bool is_group(extension::array_kind kind) {
  return kind == extension::array_kind::group || kind == extension::array_kind::process_group;
}

void check_is_main(const std::string& function) {
  const int pe = extension::current_pe().number();
  if (pe != 0)
    throw error(function + " is called on PE " + std::to_string(pe) + ": call it in the main task, on PE 0");
}

/// The numbers of all arrays and groups of the checkpoint in this run; on PE 0.
const array_numbers& numbers_of_all(const restart_source& source) {
  auto& numbers = extension::current_pe().local<restorations>().numbers;
  if (numbers.empty())
    for (const auto& [name, its] : source.arrays())
      if (its.what.kind != extension::array_kind::singles) numbers[name] = extension::number_for(name);
  return numbers;
}

}  // namespace

void note_class(const std::string& array, const restored_class& of) {
  if (auto* const store = store_here()) store->set_schema(array, of.schema);
}

bool has_store() { return store_here() != nullptr; }

const extension::saved_array* find_array(const std::string& name) {
  const auto* const store = store_here();
  if (store == nullptr || store->source() == nullptr) return nullptr;
  const auto found = store->source()->arrays().find(name);
  return found == store->source()->arrays().end() ? nullptr : &found->second.what;
}

std::optional<array_numbers> begin_restoration(const std::string& array, std::string_view shown_class) {
  const auto* const store = store_here();
  const restart_source* const source = store == nullptr ? nullptr : store->source();
  if (source == nullptr) return std::nullopt;
  check_is_main("restored");
  auto& state = extension::current_pe().local<restorations>();
  if (!state.restored.insert(array).second)
    throw usage_error("restored: the array \"" + array + "\" has been restored already");
  if (!source->arrays().contains(array)) {
    log(log_level::warning,
        "restored: " + source->chosen().path + " has no array \"" + array + "\", so it begins anew");
    return std::nullopt;
  }
  const std::string& written = source->arrays().at(array).what.shown_class();
  if (written != shown_class)
    throw usage_error("restored: the array \"" + array + "\" of " + source->chosen().path +
                      " has elements of " + written + ", not of " + std::string(shown_class));
  return numbers_of_all(*source);
}

void warn_of_arrays_left_out() {
  const restart_source* const source = store_here()->source();
  auto& state = extension::current_pe().local<restorations>();
  if (source == nullptr || std::exchange(state.has_warned, true)) return;
  for (const auto& [name, its] : source->arrays())
    if (its.what.kind != extension::array_kind::singles && !is_group(its.what.kind) &&
        !state.restored.contains(name))
      log(log_level::warning, "checkpoint: the program has not restored the array \"" + name + "\" of " +
                                  source->chosen().path + ", so later checkpoints lack it");
}

chare_header* find_chare_of_group(std::uint64_t number) {
  for (const extension::part_here& part : extension::parts_here())
    if (part.collection() == number && !part.elements().empty()) return part.elements().front();
  return nullptr;
}

std::string name_of_group(std::uint64_t number) {
  for (const extension::part_here& part : extension::parts_here())
    if (part.collection() == number) return part.description().name;
  return {};
}

std::optional<array_numbers> begin_group(const std::string& group, const restored_group_class& of) {
  const restart_source* const source = store_here()->source();
  if (source == nullptr) return std::nullopt;
  check_is_main("restore");
  const auto found = source->arrays().find(group);
  if (found == source->arrays().end() || found->second.what.elements == 0) return std::nullopt;
  if (found->second.what.elements != static_cast<std::uint64_t>(extension::current_pe().count()) &&
      of.merge == nullptr)
    log(log_level::warning, "restore: " + group + " had " + std::to_string(found->second.what.elements) +
                                " chares, and its class has no merge: each chare gets the state of PE 0's");
  return numbers_of_all(*source);
}

namespace {

/// Lets single chares go on that no array brings; on the PE of the main task.
void begin_without_arrays(const array_numbers& numbers) {
  const auto is_no_array = [](const auto& each) {
    const extension::array_kind kind = each.second.what.kind;
    return kind == extension::array_kind::singles || is_group(kind);
  };
  if (!std::ranges::all_of(store_here()->source()->arrays(), is_no_array)) return;
  const extension::current_pe here;
  for (int pe = 0; pe < here.count(); ++pe) {
    auto& m = extension::make_message<restoration_of_singles>();
    m.numbers = numbers;
    here.send(m, pe);
  }
}

/// The groups that are being restored, by their numbers; on PE 0.
struct group_results {
  struct result {
    promise<bool> to_caller;
    int missing = 0;
  };
  std::map<std::uint64_t, result> by_number;
};

/// Tells PE 0 that a PE has restored its chare of a group.
struct group_news final : extension::message_to_pe {
  std::uint64_t number = 0;

  static inline extension::message_kind type_record =
      extension::register_kind<group_news>({"end of the restoration of a group"});
  void serialize(auto& ar) { ar(number); }
  void deliver() {
    const extension::message_guard guard(*this);
    auto& all = extension::current_pe().local<group_results>().by_number;
    const auto at = all.find(number);
    if (at == all.end() || --at->second.missing > 0) return;
    begin_without_arrays(extension::current_pe().local<restorations>().numbers);
    at->second.to_caller.set_value(true);
    all.erase(at);
  }
};

}  // namespace

pending<bool> result_of_restore(std::uint64_t number, bool is_in_checkpoint) {
  auto [to_caller, result] = make_promise<bool>();
  const extension::current_pe here;
  if (is_in_checkpoint)
    here.local<group_results>().by_number[number] = {to_caller, here.count()};
  else
    to_caller.set_value(false);
  return std::move(result);
}

void note_restored(std::uint64_t number) {
  auto& m = extension::make_message<group_news>();
  m.number = number;
  extension::current_pe().send(m, 0);
}

namespace {

void read_chare_of_group(const restart_source& source, const std::string& group, const array_numbers& numbers,
                         const restored_group_class& of) {
  const extension::current_pe here;
  const extension::saved_numbers saved = source.numbers(here.count());
  reserve_numbers(numbers);
  std::optional<extension::part_here> part;
  for (const extension::part_here& each : extension::parts_here())
    if (each.collection() == numbers.at(group)) part = each;
  const array_in_parts& its = source.arrays().at(group);
  check_schema(group, its.schema, part->schema_by(of.schema));
  const bool has_own = its.what.elements == static_cast<std::uint64_t>(here.count());
  const versions_of_schema versions(its.schema);
  std::vector<extension::saved_copy> copies;
  for (const auto& [p, section] : its.sections)
    for (std::size_t r = 0; r < source.parts()[p].records(section); ++r) {
      const tables_of_pe& writer = source.tables_of(group, p, r);
      extension::members_to_read members;
      extension::names_to_read names(writer.names, numbers, saved, &members);
      reader in(source.parts()[p].record(section, r));
      in.at_version(versions.place());
      if (!has_own && of.merge != nullptr)
        copies.push_back(part->copy_of(names, in));
      else if (writer.pe == (has_own ? here.number() : 0))
        part->refill(names, in);
    }
  if (copies.empty()) return;
  std::vector<chare_header*> headers;
  for (const extension::saved_copy& each : copies) headers.push_back(&each.header());
  of.merge(*part->elements().front(), headers);
}

part_in_restoration read_part(const restart_source& source, const std::string& array,
                              const array_numbers& numbers, const restored_class& of) {
  const extension::saved_numbers saved = source.numbers(extension::current_pe().count());
  begin_on_pe(source, numbers, saved);
  const array_in_parts& its = source.arrays().at(array);
  part_in_restoration read{of.make_part(numbers.at(array), its.what)};
  check_schema("the array \"" + array + "\"", its.schema, read.part.schema_by(of.schema));
  extension::members_to_read members;
  read.elements = read_elements(source, its, read.part, numbers, saved, members);
  read.last_copy = members.last();
  source.for_each_table([&](const tables_of_pe& each) {
    for (const saved_sections& sections : each.sections)
      if (sections.array == array) {
        extension::names_to_read names(each.names, numbers, saved);
        reader in(sections.bytes);
        in.carry_by(names);
        read.part.read_sections(names, in);
        in.finish();
      }
  });
  return read;
}

/// Completes a restoration when the copies to the device are complete.
struct waiting_restoration {
  part_in_restoration read;

  static void complete(void* self, const std::exception_ptr& failure) {
    std::unique_ptr<waiting_restoration> it(static_cast<waiting_restoration*>(self));
    if (failure) std::rethrow_exception(failure);
    it->read.part.install();
    let_go_on(it->read.elements);
  }
  static void cancel(void* self) noexcept { delete static_cast<waiting_restoration*>(self); }
};

}  // namespace

void restore_chare_of_group(const std::string& group, const array_numbers& numbers,
                            const restored_group_class& of) {
  const restart_source& source = *store_here()->source();
  read_from(source, [&] { read_chare_of_group(source, group, numbers, of); });
}

part_in_restoration read_part(const std::string& array, const array_numbers& numbers,
                              const restored_class& of) {
  const restart_source& source = *store_here()->source();
  return read_from(source, [&] { return read_part(source, array, numbers, of); });
}

void complete(part_in_restoration read) {
  stream* const last = read.last_copy;
  auto waiting = std::make_unique<waiting_restoration>(std::move(read));
  const auto begin_wait = [&] {
    return extension::notify_here(
        *last, {&waiting_restoration::complete, &waiting_restoration::cancel, waiting.get()});
  };
  const bool waits = last != nullptr && begin_wait() != nullptr;
  waiting_restoration* const started = waiting.release();
  if (!waits) waiting_restoration::complete(started, nullptr);
}

void save_value(std::string_view name, class_schema schema, std::vector<std::byte> bytes) {
  if (is_section_of_runtime(name))
    throw usage_error("save: the name \"" + std::string(name) + "\" is one of the runtime: take another");
  if (auto* const store = store_here())
    store->set_value(std::string(name), {std::move(schema), std::move(bytes)});
}

std::optional<saved_value> find_value(std::string_view name) {
  const auto* const store = store_here();
  if (store == nullptr || store->source() == nullptr) return std::nullopt;
  return store->source()->find_value(name);
}

void check_value(std::string_view name, const saved_value& saved, const class_schema& present,
                 const std::string& problem) {
  const std::string what = "the value \"" + std::string(name) + "\"";
  check_schema(what, saved.schema, present);
  if (!problem.empty()) throw usage_error(what + " of the checkpoint cannot be read: " + problem);
}

}  // namespace imbrex::checkpoints::detail
