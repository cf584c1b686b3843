// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/handle.hpp>

namespace imbrex::mpi {

/// What the user wants done with the attributes of a key when their object is copied or freed. The functions
/// of communicators, datatypes and windows differ in nothing but the name of the object's handle.
struct keyval : counted {
  using copy_function = int(int object, int key, void* extra, void* value, void* copy, int* flag);
  using delete_function = int(int object, int key, void* value, void* extra);
  /// Fortran's take all by address; of MPI-1 in its default integers, else in integers of an address' length.
  enum class language : std::uint8_t { c, fortran, fortran_default };

  language of = language::c;
  copy_function* copy = nullptr;      ///< null: an attribute is not copied; of the type that `of` says
  delete_function* remove = nullptr;  ///< null: nothing is to be done; likewise
  void* extra = nullptr;              ///< in Fortran an integer
  bool is_freed = false;              ///< the program has given it up; it lives as long as attributes have it
};

/// The handle of the first keyval of a kind of object.
constexpr std::uint32_t first_keyval(handle_kind object) { return std::uint32_t(object) << 22; }

}  // namespace imbrex::mpi
