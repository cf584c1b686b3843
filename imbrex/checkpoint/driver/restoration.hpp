// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/base/error.hpp>
#include <imbrex/base/type_name.hpp>
#include <imbrex/checkpoint/driver/saved_value.hpp>
#include <imbrex/core/extension/chare.hpp>
#include <imbrex/core/extension/durable.hpp>
#include <imbrex/core/extension/message_kind.hpp>
#include <imbrex/core/extension/run.hpp>
#include <imbrex/core/pe/pending.hpp>
#include <imbrex/serial/class_schema.hpp>
#include <imbrex/serial/reader.hpp>

namespace imbrex::checkpoints::detail {

/// The numbers that the arrays of a checkpoint have in this run, by their names.
using array_numbers = std::map<std::string, std::uint64_t>;

/// Makes an empty part of an array on this PE.
using part_function = extension::part_to_fill (*)(std::uint64_t number, const extension::saved_array& what);

/// An array's class, as the checkpoint's functions use it.
struct restored_class {
  extension::schema_function schema;
  part_function make_part;
};

/// True if the run writes checkpoints or began from one.
bool has_store();
/// Notes the class of an array that the program restores, for later checkpoints.
void note_class(const std::string& array, const restored_class& of);
/// The array of that name in the checkpoint from which the run began; null if there is none.
const extension::saved_array* find_array(const std::string& name);
/// On the PE of the main task: the numbers of all arrays; empty if the run did not begin from a checkpoint
/// that has this array. Throws usage_error if the array is restored twice, or has another class than this
/// one (`saved_array::shown_class`).
std::optional<array_numbers> begin_restoration(const std::string& array, std::string_view shown_class);
/// On the PE of the main task, before a checkpoint: warns once of arrays that the program has not restored,
/// which the checkpoint therefore lacks.
void warn_of_arrays_left_out();
/// This PE's elements of an array, as they are read.
struct part_in_restoration {
  extension::part_to_fill part;
  std::vector<extension::saved_element> elements{};
  stream* last_copy = nullptr;  ///< copies their device memory; null if they have none
};
part_in_restoration read_part(const std::string& array, const array_numbers& numbers,
                              const restored_class& of);
/// Lets messages reach the elements, and their entries go on: once the copies of device memory are complete.
void complete(part_in_restoration read);

/// Makes chares of a group out of those of another number of PEs; null if the class has no `merge`.
using merge_function = void (*)(chare_header& into, std::span<chare_header* const> saved);

/// A group's class, as the checkpoint's functions use it.
struct restored_group_class {
  extension::schema_function schema;
  merge_function merge;
};

/// This PE's chare of a group; null if the PE has not made it.
chare_header* find_chare_of_group(std::uint64_t number);
/// The name of a group in checkpoints.
std::string name_of_group(std::uint64_t number);
/// On the PE of the main task: the numbers of all arrays and groups; empty if the run did not begin from a
/// checkpoint that has this group.
std::optional<array_numbers> begin_group(const std::string& group, const restored_group_class& of);
/// Gives this PE's chare of a group its state in the checkpoint. Throws usage_error if the class has changed.
void restore_chare_of_group(const std::string& group, const array_numbers& numbers,
                            const restored_group_class& of);
/// The result of `restore`, on the PE of the main task: ready at once, or when all PEs have called
/// `note_restored`.
pending<bool> result_of_restore(std::uint64_t number, bool is_in_checkpoint);
void note_restored(std::uint64_t number);

void save_value(std::string_view name, class_schema schema, std::vector<std::byte> bytes);
/// A value that the program has saved, as it is in the checkpoint; empty if there is none.
std::optional<saved_value> find_value(std::string_view name);
/// Throws usage_error if the value was written by another type than this one. `problem`: why reading it has
/// failed; empty: it has not.
void check_value(std::string_view name, const saved_value& saved, const class_schema& present,
                 const std::string& problem);

/// The schema of the class of an element; empty for classes that are named at run time.
template <class T>
class_schema schema_of_chare(chare_header& e) {
  if constexpr (extension::stands_for_classes<T>)
    return {};
  else
    return schema_of(extension::object_of<T>(e));
}

template <class T, class... Placement>
restored_class class_of() {
  return {&schema_of_chare<T>, &extension::part_to_fill::make<T, Placement...>};
}

/// Reads on a PE that has no main task. Bytes that the program cannot read end the run as there, with the
/// status of a usage error.
template <class Read>
void read_or_end_run(const Read& read) {
  try {
    read();
  } catch (const usage_error& e) {
    extension::current_pe().run().fail(e.what(), usage_error::exit_status);
  }
}

/// Tells a PE to read its elements of an array.
template <class T, class... Placement>
struct restoration final : extension::message_to_pe {
  std::string array;
  array_numbers numbers;

  static inline extension::message_kind type_record = extension::register_kind<restoration>({"restoration"});
  void serialize(auto& ar) { ar(array, numbers); }
  void deliver() {
    const extension::message_guard guard(*this);
    read_or_end_run([&] { complete(read_part(array, numbers, class_of<T, Placement...>())); });
  }
};

template <class T>
void merge_chares(chare_header& into, std::span<chare_header* const> saved) {
  std::vector<T*> old;
  for (chare_header* const each : saved) old.push_back(&extension::object_of<T>(*each));
  extension::object_of<T>(into).merge(std::span<T* const>(old));
}

/// The class of a chare of a group.
template <class T>
restored_group_class group_class_of([[maybe_unused]] chare_header& chare) {
  restored_group_class of{&schema_of_chare<T>, nullptr};
  if constexpr (extension::stands_for_classes<T>) {
    if (extension::object_of<T>(chare).merges()) of.merge = &merge_chares<T>;
  } else if constexpr (requires(T& its, std::span<T* const> old) { its.merge(old); }) {
    of.merge = &merge_chares<T>;
  }
  return of;
}

template <class T>
std::optional<T> restored_value(std::string_view name) {
  const auto saved = find_value(name);
  if (!saved) return std::nullopt;
  std::optional<T> value(std::in_place);
  const class_schema before = schema_of(*value);
  const versions_of_schema versions(saved->schema);
  try {
    reader in(saved->bytes);
    in.at_version(versions.place());
    in(*value);
    in.finish();
  } catch (const serial_error& what) {
    check_value(name, *saved, before, what.what());
  }
  check_value(name, *saved, schema_of(*value), {});
  return value;
}

/// Notes the class of this PE's chare of a group. Gives the chare its state if the numbers of a checkpoint
/// are given.
template <class T>
void restore_chare(chare_header& chare, std::uint64_t number, const std::optional<array_numbers>& numbers) {
  const std::string group = name_of_group(number);
  const restored_group_class of = group_class_of<T>(chare);
  note_class(group, {of.schema, nullptr});
  if (!numbers) return;
  restore_chare_of_group(group, *numbers, of);
  note_restored(number);
}

/// Tells a PE that its chare of a group is saved, and gives the chare its state in the checkpoint if there is
/// one.
template <class T>
struct group_restoration final : extension::message_to_pe {
  std::uint64_t number = 0;
  std::optional<array_numbers> numbers;

  static inline extension::message_kind type_record =
      extension::register_kind<group_restoration>({"restoration of a group"});
  void serialize(auto& ar) { ar(number, numbers); }
  void deliver() {
    const extension::current_pe here;
    chare_header* const chare = find_chare_of_group(number);
    // The group's creation may still be under way.
    if (chare == nullptr) return here.send(*this, here.number());
    const extension::message_guard guard(*this);
    read_or_end_run([&] { restore_chare<T>(*chare, number, numbers); });
  }
};

template <class T>
pending<bool> restore_group(std::uint64_t number) {
  if (!has_store()) return result_of_restore(number, false);
  chare_header& own = *find_chare_of_group(number);
  const auto numbers = begin_group(name_of_group(number), group_class_of<T>(own));
  pending<bool> result = result_of_restore(number, numbers.has_value());
  const extension::current_pe here;
  for (int pe = 0; pe < here.count(); ++pe) {
    if (pe == here.number()) continue;
    auto& m = extension::make_message<group_restoration<T>>();
    m.number = number;
    m.numbers = numbers;
    here.send(m, pe);
  }
  restore_chare<T>(own, number, numbers);
  return result;
}

template <class T, class... Placement>
std::optional<imbrex::array<T>> restored_array(const std::string& name,
                                               std::string_view shown_class = type_name<T>()) {
  note_class(name, class_of<T, Placement...>());
  const auto numbers = begin_restoration(name, shown_class);
  if (!numbers) return std::nullopt;
  const extension::current_pe here;
  for (int pe = 0; pe < here.count(); ++pe) {
    if (pe == here.number()) continue;
    auto& m = extension::make_message<restoration<T, Placement...>>();
    m.array = name;
    m.numbers = *numbers;
    here.send(m, pe);
  }
  auto read = read_part(name, *numbers, class_of<T, Placement...>());
  const imbrex::array<T> restored = read.part.template proxy<T>();
  complete(std::move(read));
  return restored;
}

}  // namespace imbrex::checkpoints::detail
