// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/mpi/object/keyval.hpp>

namespace imbrex::mpi {

/// The attributes of a communicator, datatype or window, by the handles of their keyvals. If a user's
/// callback returns an error, mpi::error with its code is thrown and the attribute is unchanged. Callbacks
/// may call MPI, even for the same object.
class attribute_set {
 public:
  /// `object` is the handle to pass to callbacks.
  void set(int object, int key, const ref<keyval>& type, void* value);
  bool get(int key, void** value) const;
  /// Variants for Fortran, whose values are integers. C reads such a value as a pointer to it. Fortran reads
  /// a value set from C as the pointer's number (MPI 3.1, section 17.2.7).
  void set_integer(int object, int key, const ref<keyval>& type, std::intptr_t value);
  bool get_integer(int key, std::intptr_t* value) const;
  /// Throws mpi::error (MPI_ERR_OTHER) if the key has no attribute.
  void remove(int object, int key);
  /// Removes all attributes, latest first.
  void clear(int object);
  /// Fills `to`, the attributes of a new object, by the copy callbacks.
  void copy(int object, attribute_set& to) const;
  bool is_empty() const { return entries_.empty(); }

  /// Writes all, the keyvals by write_key(out, keyval), or reads them by read_key(in).
  void write(auto& out, auto&& write_key) const {
    out(std::uint64_t{entries_.size()});
    for (const entry& e : entries_) {
      out(e.key, static_cast<bool>(e.held.integer), static_cast<std::int64_t>(e.held.number()));
      write_key(out, e.type);
    }
  }
  void read(auto& in, auto&& read_key) {
    std::uint64_t size = 0;
    in(size);
    entries_.clear();
    for (; size > 0; --size) {
      int key = 0;
      bool is_integer = false;
      std::int64_t number = 0;
      in(key, is_integer, number);
      attribute held = is_integer ? of_integer(number) : attribute{reinterpret_cast<void*>(number), nullptr};
      entries_.push_back({key, read_key(in), std::move(held)});
    }
  }

 private:
  struct attribute {
    void* value = nullptr;
    std::shared_ptr<std::intptr_t> integer;  ///< set for an integer; `value` is its address
    std::intptr_t number() const { return integer ? *integer : reinterpret_cast<std::intptr_t>(value); }
  };
  struct entry {
    int key;
    ref<keyval> type;
    attribute held;
  };
  static attribute of_integer(std::intptr_t value);
  std::size_t find(int key) const;
  void put(int object, int key, const ref<keyval>& type, attribute value);
  void call_remove(int object, entry e);
  /// False if the attribute is not copied.
  static bool call_copy(int object, const entry& e, attribute& copy);
  std::vector<entry> entries_;
};

}  // namespace imbrex::mpi
