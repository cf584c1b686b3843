// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/handle.hpp>

namespace imbrex::mpi {

/// A key of attributes: the callbacks for copying and deleting an attribute when its object is copied or
/// freed. Callbacks for communicators, datatypes and windows differ only in the name of the handle.
struct keyval : counted {
  using copy_function = int(int object, int key, void* extra, void* value, void* copy, int* flag);
  using delete_function = int(int object, int key, void* value, void* extra);
  /// The language of the callbacks. Fortran's take all arguments by address: in MPI-1 default integers, else
  /// integers as long as an address.
  enum class language : std::uint8_t { c, fortran, fortran_default };

  language of = language::c;
  copy_function* copy = nullptr;      ///< null: the attribute is not copied; its real type depends on `of`
  delete_function* remove = nullptr;  ///< null: nothing to call; its real type depends on `of`
  void* extra = nullptr;              ///< an integer in Fortran
  bool is_freed = false;              ///< the program has freed the key; it lives while attributes use it
};

/// The handle of the first keyval of a kind of object.
constexpr std::uint32_t first_keyval(handle_kind object) { return std::uint32_t(object) << 22; }

}  // namespace imbrex::mpi
