// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/datatype/datatype.hpp>
#include <imbrex/mpi/object/counted.hpp>

namespace imbrex::mpi {

/// A reduction operation: the object behind an MPI_Op.
class operation : public counted {
 public:
  /// A predefined operation.
  explicit operation(int handle);
  operation(MPI_User_function* function, bool commutes) : commutes_(commutes), function_(function) {}
  operation(MPI_User_function_c* function, bool commutes) : commutes_(commutes), large_function_(function) {}

  bool commutes() const { return commutes_; }
  /// The functions of an operation of the program; at most one is not null.
  MPI_User_function* function() const { return function_; }
  MPI_User_function_c* large_function() const { return large_function_; }
  /// The handle of a predefined operation; 0 for one of the program.
  int handle() const { return handle_; }

  /// Throws mpi::error (MPI_ERR_OP) unless the operation accepts elements of the type.
  void check(const datatype& type) const;
  /// accumulated[i] = first[i] op accumulated[i], for `count` elements of a type that passes `check`.
  /// `handle` is the type's handle, for user functions.
  void apply(const void* first, void* accumulated, std::int64_t count, const datatype& type,
             int handle) const;

 private:
  bool commutes_ = true;
  int handle_ = 0;
  MPI_User_function* function_ = nullptr;
  MPI_User_function_c* large_function_ = nullptr;
};

/// The predefined operation with this handle, shared by all ranks of the process; null if there is none.
/// O(1).
operation* predefined_operation(int handle);

/// Applies a predefined operation to `count` contiguous elements. `find_fold` returns null if the operation
/// does not accept them.
using fold = void(const void* first, void* accumulated, std::int64_t count);
fold* find_fold(int operation_handle, const datatype& type);
fold* find_fold(int operation_handle, element of);

}  // namespace imbrex::mpi
