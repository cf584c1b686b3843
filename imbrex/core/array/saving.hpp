// SPDX-License-Identifier: Apache-2.0
#pragma once
// Keys, places and sections of an array in a checkpoint. `durable_element.hpp` writes and reads whole
// elements.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/core/array/element_collection.hpp>
#include <imbrex/core/collective/section_table.hpp>
#include <imbrex/core/message/durable_names.hpp>

namespace imbrex::detail {

/// The functions by which arrays are saved that depend on the index type.
struct saving_functions {
  using part = collection_base;

  /// Writes the shape; nothing if keys are no indices.
  void (*write_shape)(const part& of, writer& out);
  /// Writes an element's key.
  void (*write_key)(const part& of, const chare_header& e, name_writer& names, writer& out);
  /// Sets the key of a new element to one that was saved. Throws serial_error if it is outside the shape, and
  /// imbrex::error if there is such an element here.
  void (*read_key)(const part& of, chare_header& e, name_reader& names, reader& in);
  /// The PE that the placement names for a key of `write_key`.
  int (*home_of)(const part& of, name_reader& names, reader& key);
  /// Sets the addressee of a message to an element of the part.
  void (*address)(const part& of, message& m, const chare_header& e);
  /// Adds an element that was saved in another run. It is the first one with its key in this run.
  void (*take)(part& into, chare_header& e);
  /// At the home: an element that was saved is on another PE.
  void (*note_elsewhere)(part& of, name_reader& names, reader& key, int pe);
  /// Writes the sections of the array that were made on this PE, with their members. Returns their numbers.
  std::vector<std::uint64_t> (*write_sections)(const part& of, name_writer& names, writer& out);
  /// Reads such sections, and keeps those whose numbers in this run are of this PE.
  void (*read_sections)(const part& of, name_reader& names, reader& in);
};

/// Throws serial_error: a checkpoint has an element at an index that the array has not. `index` is empty if
/// it has another number of dimensions.
[[noreturn]] void throw_saved_outside(std::string_view chare_name, const std::string& index,
                                      const std::string& shape);
/// Throws imbrex::error: a checkpoint has an element that is here already.
[[noreturn]] void throw_saved_twice(const std::string& element);

template <class Index>
struct saving_functions_of {
  using base = collection_base;
  using part = element_collection<Index>;
  using key = typename part::key;
  using header = typename part::header;

  static const part& own(const base& of) { return static_cast<const part&>(of); }
  static part& own(base& of) { return static_cast<part&>(of); }

  static void write_one(const part& of, const key& k, name_writer& names, writer& out) {
    if constexpr (is_index<Index>) {
      if (of.is_of_singles()) return names.write_key(of.pe().in_proxy(of.id()), k, out);
    }
    out(of.where(k));
  }
  static key read_one(const part& of, name_reader& names, reader& in) {
    if constexpr (is_index<Index>) {
      if (of.is_of_singles()) return names.read_key(of.pe().in_proxy(of.id()), in);
      const Index& shape = of.shape_for_proxy();
      Index where{};
      in(where);
      if (where.dimensions != shape.dimensions) throw_saved_outside(of.shown_name(), {}, to_string(shape));
      if (!contains(shape, where)) throw_saved_outside(of.shown_name(), to_string(where), to_string(shape));
      return linear(shape, where);
    } else {
      key k{};
      in(k);
      return k;
    }
  }

  static void write_shape([[maybe_unused]] const base& of, [[maybe_unused]] writer& out) {
    if constexpr (is_index<Index>) out(own(of).shape_for_proxy());
  }
  static void write_key(const base& of, const chare_header& e, name_writer& names, writer& out) {
    write_one(own(of), static_cast<const header&>(e).key, names, out);
  }
  static void read_key(const base& of, chare_header& e, name_reader& names, reader& in) {
    auto& its = static_cast<header&>(e);
    its.key = read_one(own(of), names, in);
    its.where = own(of).where(its.key);
    if (own(of).find(its.key) != nullptr) throw_saved_twice(own(of).key_name(its.key));
  }
  static int home_of(const base& of, name_reader& names, reader& in) {
    return own(of).home_of(read_one(own(of), names, in));
  }
  static void address(const base& of, message& m, const chare_header& e) {
    m.collection = of.id();
    static_cast<element_message<key>&>(m).key = static_cast<const header&>(e).key;
  }
  static void take(base& into, chare_header& e) {
    const location here = own(into).first_place();
    e.travels = false;
    e.epoch = here.epoch;
    e.born = here.born;
    e.broadcasts = into.broadcasts().delivered();
    own(into).take_in(static_cast<header&>(e));
  }
  static void note_elsewhere(base& of, name_reader& names, reader& in, int pe) {
    location where = own(of).first_place();
    where.pe = pe;
    own(of).know_saved(read_one(own(of), names, in), where);
  }
  static std::vector<std::uint64_t> write_sections(const base& of, name_writer& names, writer& out) {
    std::vector<std::uint64_t> numbers;
    section_table<key>::for_each(of.pe(), of.id(), [&](std::uint64_t id, auto&) { numbers.push_back(id); });
    out(static_cast<std::uint64_t>(numbers.size()));
    for (const std::uint64_t id : numbers) {
      const auto& members = section_table<key>::members(of.pe(), of.id(), id);
      names.write_section(of.pe().in_proxy(of.id()), id, out);
      out(static_cast<std::uint64_t>(members.size()));
      for (const key& k : members) write_one(own(of), k, names, out);
    }
    return numbers;
  }
  static void read_sections(const base& of, name_reader& names, reader& in) {
    const std::uint64_t in_proxy = of.pe().in_proxy(of.id());
    for (std::size_t sections = read_count(in, 2 * sizeof(std::uint64_t)); sections > 0; --sections) {
      const std::uint64_t id = names.read_section(in_proxy, in);
      std::vector<key> members;
      for (std::size_t n = read_count(in, 1); n > 0; --n) members.push_back(read_one(own(of), names, in));
      if (root_of_section(of.pe(), id) == of.pe().pe())
        section_table<key>::restore(of.pe(), of.id(), id, std::move(members));
    }
  }

  static constexpr saving_functions all{&write_shape,    &write_key,      &read_key,
                                        &home_of,        &address,        &take,
                                        &note_elsewhere, &write_sections, &read_sections};
};

// Compiled once, in the library, for what most programs use.
extern template struct saving_functions_of<index<1>>;
extern template struct saving_functions_of<index<2>>;
extern template struct saving_functions_of<index<3>>;

}  // namespace imbrex::detail
