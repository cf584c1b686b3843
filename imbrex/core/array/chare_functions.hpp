// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <imbrex/core/array/chare.hpp>

namespace imbrex {

class reader;
class writer;

namespace detail {

class attachment;
struct attachment_type;
struct migrant_base;
class collection_base;
class name_reader;
class name_writer;
struct message;
template <class Index>
class element_collection;

/// The functions of element headers that depend on the index type of the array.
struct header_functions {
  /// Constructs a header at the beginning of an element's memory.
  chare_header& (*construct)(void* memory);
  void (*destroy)(chare_header& header) noexcept;
  void (*write)(chare_header& header, writer& out);
  void (*read)(chare_header& header, reader& in);
};

template <class Index>
struct header_functions_of {
  using header = element_header<Index>;

  static chare_header& construct(void* memory);
  static void destroy(chare_header& h) noexcept;
  static void write(chare_header& h, writer& out);
  static void read(chare_header& h, reader& in);

  static constexpr header_functions all{&construct, &destroy, &write, &read};
};

template <class Index>
chare_header& header_functions_of<Index>::construct(void* memory) {
  return *::new (memory) header();
}
template <class Index>
void header_functions_of<Index>::destroy(chare_header& h) noexcept {
  static_cast<header&>(h).~header();
}
template <class Index>
void header_functions_of<Index>::write(chare_header& h, writer& out) {
  out(static_cast<header&>(h));
}
template <class Index>
void header_functions_of<Index>::read(chare_header& h, reader& in) {
  in(static_cast<header&>(h));
}

// Compiled once, in the library, for what most programs use.
extern template struct header_functions_of<index<1>>;
extern template struct header_functions_of<index<2>>;
extern template struct header_functions_of<index<3>>;

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

template <class Index>
struct saving_functions_of {
  using base = collection_base;
  using part = element_collection<Index>;
  using key = key_type<Index>;
  using header = element_header<Index>;

  static void write_one(const part& of, const key& k, name_writer& names, writer& out);
  static key read_one(const part& of, name_reader& names, reader& in);

  static void write_shape(const base& of, writer& out);
  static void write_key(const base& of, const chare_header& e, name_writer& names, writer& out);
  static void read_key(const base& of, chare_header& e, name_reader& names, reader& in);
  static int home_of(const base& of, name_reader& names, reader& in);
  static void address(const base& of, message& m, const chare_header& e);
  static void take(base& into, chare_header& e);
  static void note_elsewhere(base& of, name_reader& names, reader& in, int pe);
  static std::vector<std::uint64_t> write_sections(const base& of, name_writer& names, writer& out);
  static void read_sections(const base& of, name_reader& names, reader& in);

  static constexpr saving_functions all{&write_shape,    &write_key,      &read_key,
                                        &home_of,        &address,        &take,
                                        &note_elsewhere, &write_sections, &read_sections};
};

// Compiled once, in the library, for what most programs use.
extern template struct saving_functions_of<index<1>>;
extern template struct saving_functions_of<index<2>>;
extern template struct saving_functions_of<index<3>>;

/// The functions of a collection that depend on its chare class. The rest is independent of the class, and is
/// compiled once.
struct chare_functions {
  const header_functions* headers = nullptr;
  const saving_functions* saving = nullptr;
  std::size_t offset = 0;     ///< bytes from the header of an element to its object
  std::size_t size = 0;       ///< bytes of the object
  std::size_t alignment = 0;  ///< alignment of the element's memory
  /// Destroys an element and frees its memory.
  void (*destroy)(chare_header& element) noexcept = nullptr;

  // These are null if the class cannot migrate.

  /// Makes the message in which an element migrates.
  migrant_base& (*make_migrant)(const chare_header& element) = nullptr;
  /// Calls the default constructor.
  void (*construct)(chare_header& element) = nullptr;
  void (*write)(chare_header& element, writer& out) = nullptr;
  void (*read)(chare_header& element, reader& in) = nullptr;

  /// The first port of the class with attachments; null if there is none.
  const attachment_type* (*first_port)() = nullptr;

  // These are null for most classes.

  /// The load that the class itself expects, in seconds of the next period; empty: the measured one counts.
  std::optional<double> (*expected_load)(const chare_header& element) = nullptr;
  /// Called before an element leaves a PE, and after it has arrived on another.
  void (*departs)(chare_header& element) = nullptr;
  void (*arrived)(chare_header& element) = nullptr;

  /// Lists the attachments in the object's own tables of values.
  void (*collect_unread)(chare_header& element, std::vector<attachment*>& parts) = nullptr;
  std::string_view (*port_name)(const chare_header& element, const void* port) = nullptr;

  /// For `moves_with_entries`: whether elements can end their entries themselves to go to other processes.
  bool (*leaves_process)() = nullptr;
  bool moves_with_entries = false;  ///< elements only move as objects, with their entries, in their process
  bool is_pickled = false;          ///< objects are written by Python's pickle, as errors say

  std::byte* object(chare_header& element) const { return reinterpret_cast<std::byte*>(&element) + offset; }
  const std::byte* object(const chare_header& element) const {
    return reinterpret_cast<const std::byte*>(&element) + offset;
  }
  void* allocate() const;
  void release(void* memory) const noexcept;
  /// Frees an element without an object.
  void release_unconstructed(chare_header& element) const noexcept;
};

/// True if a port of the element was bound to memory that is not the element's own, so that a balancer must
/// leave it on its PE.
bool is_bound_elsewhere(const chare_header& element, const chare_functions& of);
/// As `is_bound_elsewhere`, for the memory that the element has now. Runs its `serialize`.
bool has_bound_elsewhere(chare_header& element, const chare_functions& of);
/// Called before an element leaves a PE, and after it has arrived on another or was read from a checkpoint.
void leave_bound_memory(chare_header& element, const chare_functions& of);
void find_bound_memory(chare_header& element, const chare_functions& of);

/// Rethrows a constructor's exception with a description. Exceptions of another language keep their type.
[[noreturn]] void rethrow_construction_failure(const std::string& name, int pe);
/// Describes an exception that the element's class threw during migration; `doing` is, for example, "the
/// default constructor".
[[noreturn]] void rethrow_travel_failure(const char* doing, const chare_header& element);

}  // namespace detail
}  // namespace imbrex
