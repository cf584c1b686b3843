// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <imbrex/mpi/object/counted.hpp>
#include <imbrex/mpi/object/handle.hpp>

namespace imbrex::mpi {

/// What the user wants done with the attributes of a key when their object is copied or freed. The functions
/// of communicators, datatypes and windows differ in nothing but the name of the object's handle.
struct keyval : counted {
  using copy_function = int(int object, int key, void* extra, void* value, void* copy, int* flag);
  using delete_function = int(int object, int key, void* value, void* extra);

  copy_function* copy = nullptr;      ///< null: an attribute is not copied
  delete_function* remove = nullptr;  ///< null: nothing is to be done
  void* extra = nullptr;
  bool is_freed = false;  ///< the program has given it up; it lives as long as attributes have it
};

/// The handle of the first keyval of a kind of object.
constexpr std::uint32_t first_keyval(handle_kind object) { return std::uint32_t(object) << 22; }

}  // namespace imbrex::mpi
