// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace imbrex::mpi {

/// The kind of a memory element, for operations and for the format external32.
enum class element : std::uint8_t {
  none,  ///< a mark of a lower or upper bound
  byte,
  packed,
  character,
  wide_character,
  int8,
  int16,
  int32,
  int64,
  long_integer,  ///< long of C: eight bytes, four in external32
  uint8,
  uint16,
  uint32,
  uint64,
  unsigned_long,
  float32,
  float64,
  long_float,  ///< long double of C
  float128,
  complex64,  ///< two float32
  complex128,
  long_complex,
  complex256,
  boolean,  ///< bool of C and C++, one byte
  logical,  ///< LOGICAL of Fortran, four bytes
};

/// Bytes of an element in memory and in external32; its alignment in C's structures.
int size_of(element e);
int external_size_of(element e);
int alignment_of(element e);

}  // namespace imbrex::mpi
