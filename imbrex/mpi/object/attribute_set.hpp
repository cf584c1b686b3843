// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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
  /// Throws mpi::error (MPI_ERR_OTHER) if there is none.
  void remove(int object, int key);
  /// Removes all, the youngest first.
  void clear(int object);
  /// Gives `to`, of a new object, what the copy functions make of the attributes.
  void copy(int object, attribute_set& to) const;
  bool is_empty() const { return entries_.empty(); }

 private:
  struct entry {
    int key;
    ref<keyval> type;
    void* value;
  };
  std::size_t find(int key) const;
  void call_remove(int object, entry e);
  std::vector<entry> entries_;
};

}  // namespace imbrex::mpi
