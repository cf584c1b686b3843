// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arrays and elements of a PE, as bytes that another run reads, possibly on other numbers of PEs and
// processes. For checkpoints, which add files, and moments at which nothing is in flight.
//
// Writing, on each PE, once nothing moves:
//
//     extension::names_to_write names;
//     for (const auto& part : extension::parts_here()) {
//       part.check_at_rest();
//       for (chare_header* const e : part.elements()) part.write(*e, restart_of(*e), names, out);
//     }
//     // `names.table()` belongs to these bytes.
//
// Reading, on each PE, before messages are sent to the elements:
//
//     extension::reserve_number(name, number);                 // for all arrays, equal on all PEs
//     extension::names_to_read names(table, numbers, saved);
//     auto part = extension::part_to_fill::make<block>(number, description);
//     while (...) elements.push_back(part.read(names, in));    // if part.home_of(names, key) is this PE
//     part.install();
//     for (auto& each : elements) extension::go_on(each);
//
// Device memory of members needs copies that a PE must not wait for. A program with devices therefore has an
// `extension::members_to_write members`: `members.fetch(*e)` for each element, `co_await
// members.last()->done()` unless `last` is null, and then `names_to_write names(&members)`. In the same way
// `members_to_read` is given to `names_to_read`, and its stream is awaited before elements go on.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <imbrex/core/array/collection.hpp>
#include <imbrex/core/array/durable_element.hpp>
#include <imbrex/core/array/process_group.hpp>
#include <imbrex/core/array/saved_names.hpp>
#include <imbrex/core/extension/pe.hpp>
#include <imbrex/core/gpu/saved_members.hpp>
#include <imbrex/core/pe/array_names.hpp>
#include <imbrex/serial/class_schema.hpp>

namespace imbrex::extension {

using array_kind = detail::array_kind;  ///< whether an array is dense, sparse or keyed
using detail::members_to_read;
using detail::members_to_write;
using detail::names_to_read;
using detail::names_to_write;
using detail::saved_copy;
using detail::saved_element;
using detail::saved_name;
using detail::saved_numbers;
using detail::saved_single;

/// An array, a group or the single chares of a class, as a checkpoint describes it.
struct saved_array {
  array_kind kind = array_kind::dense;  ///< whether the saved array is dense, sparse or keyed
  std::string name;              ///< unique in the run, for all kinds; empty for an array without a name
  std::string chare;             ///< the class, as the compiler spells it
  std::string of{};              ///< the class named at run time that it stands for; empty for most
  std::string placement;         ///< the type of the placement, as the compiler spells it
  std::vector<std::byte> shape;  ///< the serialised index; empty for keyed arrays
  std::uint64_t elements = 0;    ///< on one PE, or in the run

  void serialize(auto& ar) { ar(kind, name, chare, of, placement, shape, elements); }
  /// The class in reports.
  const std::string& shown_class() const { return of.empty() ? chare : of; }
};

/// Describes the class of an element.
using schema_function = class_schema (*)(chare_header& element);

/// A PE's part of an array, a group or the single chares of a class. A handle, valid until the current item
/// ends.
class part_here {
 public:
  /// `part`: what this PE has of an array.
  explicit part_here(detail::collection_base& part) : part_(&part) {}

  /// The number of the array in this run.
  std::uint64_t collection() const { return part_->id(); }
  /// `elements` is the number of those on this PE.
  saved_array description() const;
  /// Elements of the array that are on this PE now.
  const std::vector<chare_header*>& elements() const { return part_->locals(); }
  /// False if the class has no `serialize`, as groups may have.
  bool can_be_written() const { return part_->chares().write != nullptr; }
  /// The schema of the class, by an element that its default constructor makes. It also has the classes that
  /// only the first element here shows.
  class_schema schema_by(schema_function describe) const;
  /// True if the class is named at run time.
  bool is_of_named_class() const { return part_->shown_name() != part_->chare_name(); }
  /// Throws imbrex::error with a description if messages wait for elements, or collectives have not ended.
  void check_at_rest() const { detail::check_at_rest(*part_); }
  /// Writes an element. `restart` calls the entry again that waits at a balance point; null if none does.
  /// Throws imbrex::error with the element, the class of a member and the reason if it cannot be saved.
  void write(chare_header& element, detail::message* restart, names_to_write& names, writer& out) const {
    detail::write_saved(element, restart, names, out);
  }
  /// Writes an element's key alone, for `part_to_fill::home_of`.
  void write_key(const chare_header& element, names_to_write& names, writer& out) const {
    saving().write_key(*part_, element, names, out);
  }
  /// Writes the sections of the array that were made on this PE. Returns their numbers, for
  /// `saved_numbers::add_section`.
  std::vector<std::uint64_t> write_sections(names_to_write& names, writer& out) const {
    return saving().write_sections(*part_, names, out);
  }
  /// In a group: gives its chare here the state of one that was saved, on whatever PE. Throws serial_error
  /// and imbrex::error with a description.
  void refill(names_to_read& names, reader& in) const {
    for (chare_header* const e : part_->locals()) detail::refill(*e, names, in);
  }
  /// In a group: a chare that was saved, apart from those of this run. It lives no longer than the group.
  saved_copy copy_of(names_to_read& names, reader& in) const { return {*part_, names, in}; }
  /// The identity of a single chare, for `saved_numbers`.
  saved_single single(const chare_header& element) const;

 private:
  const detail::saving_functions& saving() const { return *part_->chares().saving; }

  detail::collection_base* part_;
};

/// The parts of all arrays, groups and classes of single chares on this PE.
std::vector<part_here> parts_here();

/// The number in this run of an array or group of a checkpoint, by its name (`saved_array::name`): that of
/// the one that PE 0 knows by this name, else a new one. Call it on PE 0, and tell all others.
std::uint64_t number_for(const std::string& name);
/// The array that is made later under this name gets this number, which proxies may have before. Call it on
/// all PEs.
void reserve_number(const std::string& name, std::uint64_t collection);

/// A PE's part of an array that is read from a checkpoint, until messages can reach it.
class part_to_fill {
 public:
  /// Makes the part of an array of Ts. `what.elements` is the number of all elements in the run. `Placement`
  /// are placements of the program's own that the array may have. Throws imbrex::error if the array is not
  /// one of Ts, or has another placement.
  template <class T, class... Placement>
  static part_to_fill make(std::uint64_t collection, const saved_array& what);
  /// This PE's part of the single chares of a class of the program. Those of all classes are read before the
  /// current item ends. Throws imbrex::error if there is none.
  static part_to_fill of_singles(const saved_array& what);

  /// The PE that the placement names for a key of `part_here::write_key`.
  int home_of(names_to_read& names, reader& key) const { return saving().home_of(*part_, names, key); }
  /// The schema of the class, by an element that its default constructor makes.
  class_schema schema_by(schema_function describe) const;
  /// Reads an element, and adds it here. The home of the key is this PE, or `note_elsewhere` is called there.
  saved_element read(names_to_read& names, reader& in) const { return detail::read_saved(*part_, names, in); }
  /// At the home: another PE reads the element with this key.
  void note_elsewhere(names_to_read& names, reader& key, int pe) const {
    saving().note_elsewhere(*part_, names, key, pe);
  }
  /// Reads sections that any PE has written. Call it on all PEs.
  void read_sections(names_to_read& names, reader& in) const { saving().read_sections(*part_, names, in); }
  /// Messages reach the part from now on.
  void install();
  /// The proxy of the array, whose elements are Ts.
  template <class T>
  array<T> proxy() const {
    return detail::checked<T>(*part_).proxy();
  }

 private:
  part_to_fill(detail::collection_base& part, detail::owner<detail::collection_part> own)
      : part_(&part), own_(std::move(own)) {}
  const detail::saving_functions& saving() const { return *part_->chares().saving; }
  static void check_class(const saved_array& what, std::string_view chare);
  /// The name of the class, which lives as long as the process.
  static std::string_view lasting_class(const saved_array& what, std::string_view chare);
  [[noreturn]] static void throw_placement(const saved_array& what);

  detail::collection_base* part_;
  detail::owner<detail::collection_part> own_;  ///< null once the processor has it
};

/// Calls again the entry of an element that waited at a balance point, if one did. The element must be here.
void go_on(saved_element& which);

/// The proxy of an array of Ts whose part is here.
template <class T>
array<T> proxy_of(std::uint64_t collection) {
  auto& pe = detail::processor::here();
  return detail::checked<T>(*pe.collection(collection)).proxy();
}

template <class T, class... Placement>
part_to_fill part_to_fill::make(std::uint64_t collection, const saved_array& what) {
  using index_type = typename T::index_type;
  check_class(what, type_name<T>());
  detail::home_function<index_type> home = nullptr;
  detail::placed_shape<index_type> shape{};
  auto& pe = detail::processor::here();
  std::string_view placement;
  const auto consider = [&]<class Each>() {
    if (what.placement != type_name<Each>()) return;
    index_type whole{};
    if constexpr (detail::is_index<index_type>) {
      reader in(what.shape);
      in(whole);
      in.finish();
    }
    shape = detail::shape_in_run<Each>(pe, whole);
    home = detail::home_function_of<index_type, Each>(shape);
    placement = type_name<Each>();
  };
  consider.template operator()<block_placement>();
  if constexpr (detail::is_index<index_type>) {
    consider.template operator()<brick_placement>();
    consider.template operator()<round_robin_placement>();
  }
  (consider.template operator()<Placement>(), ...);
  if (home == nullptr) throw_placement(what);
  const bool is_dense = what.kind == array_kind::dense;
  auto part = detail::make_owner<detail::collection<T>>(pe, collection, shape, home,
                                                        detail::array_beginning{what.elements, is_dense},
                                                        lasting_class(what, type_name<T>()));
  part->set_origin({what.kind, what.name, placement});
  part->ending().set_creator(0);
  auto& typed = *part;
  return {typed, std::move(part)};
}

}  // namespace imbrex::extension
