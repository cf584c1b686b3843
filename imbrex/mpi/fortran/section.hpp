// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/fortran/names.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi::fortran {

/// Descriptor by which gfortran passes an argument of any rank. Its layout is that of libgfortran.so.5, since
/// version 9 of the compiler. (The standard's CFI_cdesc_t is only for procedures with bind(C), and programs
/// built for MPICH do not pass it.)
struct array_descriptor {
  struct dimension {
    std::ptrdiff_t stride, lower, upper;  ///< the stride in units of `span`
  };
  void* base;  ///< address of the first element
  std::size_t offset;
  std::size_t element_bytes;
  std::int32_t version;
  std::int8_t rank, type;
  std::int16_t attribute;
  std::ptrdiff_t span;  ///< bytes
  dimension dimensions[15];

  /// Bytes from an element to the next one in dimension d.
  std::ptrdiff_t step(int d) const {
    return dimensions[d].stride * (span != 0 ? span : static_cast<std::ptrdiff_t>(element_bytes));
  }
  std::ptrdiff_t extent(int d) const { return dimensions[d].upper - dimensions[d].lower + 1; }
  /// Whether the elements are contiguous; arrays of unknown size are.
  bool is_contiguous() const;
  std::size_t elements() const;
};

/// The address of an argument of any rank, for functions that need only the address.
inline void* buffer_of(const array_descriptor* of) { return buffer_of(of->base); }

/// Whether a function no longer needs a buffer when it returns.
enum class use { ends_here, ends_later };
enum class access { read, read_and_written };

/// A buffer of mpi_f08, which may be a section of an array. The call's data are the section's elements, as if
/// they were contiguous. While the object lives, C sees the data as a datatype that describes their
/// addresses, or as a copy that is written back at the end.
class section {
 public:
  /// A buffer with its count and datatype. Throws mpi::error (MPI_ERR_BUFFER) for a section that no datatype
  /// can describe, if the function returns before it is done with the buffer.
  section(const array_descriptor& array, std::int64_t count, MPI_Datatype type, use when, access how);
  /// A buffer whose count and type the call gives otherwise: a section is copied. Throws mpi::error
  /// (MPI_ERR_BUFFER) for a section if the function returns before it is done with the buffer.
  section(const array_descriptor& array, use when, access how);
  ~section();
  section(const section&) = delete;
  section& operator=(const section&) = delete;

  void* address() const { return address_; }
  std::int64_t count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  bool describe(std::int64_t count, MPI_Datatype type);
  void copy_in(use when, access how);

  const array_descriptor& array_;
  void* address_;
  std::int64_t count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool is_own_type_ = false;
  bool goes_back_ = false;
  std::vector<std::byte> copy_;
};

/// Runs a Fortran function whose buffers may be refused before C is called; returns its error code.
template <typename Body>
int guarded(const char* function, Body&& body) {
  int code = MPI_SUCCESS;
  const int own = call(function, [&] { code = body(); });
  return own == MPI_SUCCESS ? code : own;
}

}  // namespace imbrex::mpi::fortran
