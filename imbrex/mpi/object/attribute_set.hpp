// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <imbrex/mpi/object/keyval.hpp>

namespace imbrex::mpi {

/// The attributes that a program has hung on a communicator, a datatype or a window, by the handles of their
/// keyvals. Where a function of the user returns an error, mpi::error with its code is thrown, and the
/// attribute stays as it was. The functions may call MPI, also for the same object.
class attribute_set {
 public:
  /// `object` is the handle that the user's functions are given.
  void set(int object, int key, const ref<keyval>& type, void* value);
  bool get(int key, void** value) const;
  /// As programs of Fortran do: values are integers. Where C asks for such a value, it is given its address;
  /// where Fortran asks for a value of C, the pointer as a number (MPI 3.1, section 17.2.7).
  void set_integer(int object, int key, const ref<keyval>& type, std::intptr_t value);
  bool get_integer(int key, std::intptr_t* value) const;
  /// Throws mpi::error (MPI_ERR_OTHER) if there is none.
  void remove(int object, int key);
  /// Removes all, the youngest first.
  void clear(int object);
  /// Gives `to`, of a new object, what the copy functions make of the attributes.
  void copy(int object, attribute_set& to) const;
  bool is_empty() const { return entries_.empty(); }

 private:
  struct attribute {
    void* value = nullptr;
    std::shared_ptr<std::intptr_t> integer;  ///< if it is one; `value` is its address
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
  /// False if the attribute is not to be copied.
  static bool call_copy(int object, const entry& e, attribute& copy);
  std::vector<entry> entries_;
};

}  // namespace imbrex::mpi
