// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/datatype/datatype.hpp>
#include <imbrex/mpi/object/counted.hpp>

namespace imbrex::mpi {

/// How two values become one: what MPI_Op stands for.
class operation : public counted {
 public:
  /// One of MPI itself.
  explicit operation(int handle);
  operation(MPI_User_function* function, bool commutes) : commutes_(commutes), function_(function) {}
  operation(MPI_User_function_c* function, bool commutes) : commutes_(commutes), large_function_(function) {}

  bool commutes() const { return commutes_; }
  /// The handle of one of MPI itself, 0 of the program's.
  int handle() const { return handle_; }

  /// Throws mpi::error (MPI_ERR_OP) if it does not take elements of the type.
  void check(const datatype& type) const;
  /// accumulated[i] = first[i] op accumulated[i], for `count` elements of a type that passes `check`.
  /// `handle` is of the type, for the functions of users.
  void apply(const void* first, void* accumulated, std::int64_t count, const datatype& type,
             int handle) const;

 private:
  bool commutes_ = true;
  int handle_ = 0;
  MPI_User_function* function_ = nullptr;
  MPI_User_function_c* large_function_ = nullptr;
};

/// The operation of MPI itself with that handle, which all ranks of the process share; null if there is none.
/// O(1).
operation* predefined_operation(int handle);

/// How an operation of MPI itself takes `count` elements, close together; null if it does not take such ones.
using fold = void(const void* first, void* accumulated, std::int64_t count);
fold* find_fold(int operation_handle, const datatype& type);
fold* find_fold(int operation_handle, element of);

}  // namespace imbrex::mpi
