// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <imbrex/mpi/api/define.hpp>
#include <imbrex/mpi/datatype/constructors.hpp>
#include <imbrex/mpi/object/error.hpp>

namespace imbrex::mpi {

namespace {

std::size_t length_of(std::int64_t count) {
  if (count < 0)
    throw error(MPI_ERR_COUNT, "the count is " + std::to_string(count) + "; it must not be negative");
  return std::size_t(count);
}

template <typename Number>
std::vector<std::int64_t> numbers(std::int64_t count, const Number* array) {
  return {array, array + length_of(count)};
}

/// Converts displacements in elements to bytes.
template <typename Number>
std::vector<std::int64_t> scaled(std::int64_t count, const Number* array, const datatype& type) {
  std::vector<std::int64_t> bytes = numbers(count, array);
  for (std::int64_t& b : bytes) b = product(b, type.extent(), "a displacement");
  return bytes;
}

/// Records a constructor's arguments for MPI_Type_get_contents. Counts and addresses of MPI_Count functions
/// have their own list.
template <typename Count>
class arguments {
 public:
  static constexpr bool is_large = sizeof(Count) > sizeof(int);

  explicit arguments(int combiner) {
    contents_.combiner = combiner;
    contents_.is_large = is_large;
  }
  arguments& number(int n) {
    contents_.integers.push_back(n);
    return *this;
  }
  arguments& numbers(std::int64_t n, const int* array) {
    contents_.integers.insert(contents_.integers.end(), array, array + n);
    return *this;
  }
  arguments& count(Count n) { return counts(1, &n); }
  arguments& counts(std::int64_t n, const Count* array) {
    if constexpr (is_large)
      contents_.counts.insert(contents_.counts.end(), array, array + n);
    else
      contents_.integers.insert(contents_.integers.end(), array, array + n);
    return *this;
  }
  arguments& address(MPI_Aint a) { return addresses(1, &a); }
  arguments& addresses(std::int64_t n, const MPI_Aint* array) {
    auto& list = is_large ? contents_.counts : contents_.addresses;
    list.insert(list.end(), array, array + n);
    return *this;
  }
  arguments& type(const datatype_ref& t) {
    contents_.types.push_back(t);
    return *this;
  }
  /// Gives the new type a handle and stores these arguments in it.
  void hand_over(const datatype_ref& newtype, MPI_Datatype* handle) {
    newtype->contents = std::move(contents_);
    *handle = objects().add(newtype);
  }

 private:
  type_contents contents_;
};

template <typename Count>
void make_contiguous(Count count, MPI_Datatype old, MPI_Datatype* newtype) {
  const datatype_ref type = objects().type(old);
  const datatype_ref t = contiguous_type(count, type);
  arguments<Count>(MPI_COMBINER_CONTIGUOUS).count(count).type(type).hand_over(t, newtype);
}

template <typename Count>
void make_vector(Count count, Count length, Count stride, MPI_Datatype old, MPI_Datatype* newtype) {
  const datatype_ref type = objects().type(old);
  const datatype_ref t = vector_type(count, length, product(stride, type->extent(), "the stride"), type);
  arguments<Count>(MPI_COMBINER_VECTOR)
      .count(count)
      .count(length)
      .count(stride)
      .type(type)
      .hand_over(t, newtype);
}

template <typename Count>
void make_hvector(Count count, Count length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* newtype) {
  const datatype_ref type = objects().type(old);
  const datatype_ref t = vector_type(count, length, stride, type);
  arguments<Count>(MPI_COMBINER_HVECTOR)
      .count(count)
      .count(length)
      .address(stride)
      .type(type)
      .hand_over(t, newtype);
}

template <typename Count>
void make_indexed(Count count, const Count* lengths, const Count* displacements, MPI_Datatype old,
                  MPI_Datatype* newtype) {
  const datatype_ref type = objects().type(old);
  const datatype_ref t = indexed_type(numbers(count, lengths), scaled(count, displacements, *type), type);
  arguments<Count>(MPI_COMBINER_INDEXED)
      .count(count)
      .counts(count, lengths)
      .counts(count, displacements)
      .type(type)
      .hand_over(t, newtype);
}

template <typename Count>
void make_hindexed(Count count, const Count* lengths, const MPI_Aint* displacements, MPI_Datatype old,
                   MPI_Datatype* newtype) {
  const datatype_ref type = objects().type(old);
  const datatype_ref t = indexed_type(numbers(count, lengths), {displacements, length_of(count)}, type);
  arguments<Count>(MPI_COMBINER_HINDEXED)
      .count(count)
      .counts(count, lengths)
      .addresses(count, displacements)
      .type(type)
      .hand_over(t, newtype);
}

template <typename Count>
void make_indexed_block(Count count, Count length, const Count* displacements, MPI_Datatype old,
                        MPI_Datatype* newtype) {
  const datatype_ref type = objects().type(old);
  const datatype_ref t = indexed_block_type(length, scaled(count, displacements, *type), type);
  arguments<Count>(MPI_COMBINER_INDEXED_BLOCK)
      .count(count)
      .count(length)
      .counts(count, displacements)
      .type(type)
      .hand_over(t, newtype);
}

template <typename Count>
void make_hindexed_block(Count count, Count length, const MPI_Aint* displacements, MPI_Datatype old,
                         MPI_Datatype* newtype) {
  const datatype_ref type = objects().type(old);
  const datatype_ref t = indexed_block_type(length, {displacements, length_of(count)}, type);
  arguments<Count>(MPI_COMBINER_HINDEXED_BLOCK)
      .count(count)
      .count(length)
      .addresses(count, displacements)
      .type(type)
      .hand_over(t, newtype);
}

template <typename Count>
void make_struct(Count count, const Count* lengths, const MPI_Aint* displacements, const MPI_Datatype* olds,
                 MPI_Datatype* newtype) {
  std::vector<datatype_ref> types;
  for (std::size_t i = 0; i < length_of(count); ++i) types.push_back(objects().type(olds[i]));
  const datatype_ref t = struct_type(numbers(count, lengths), {displacements, length_of(count)}, types);
  arguments<Count> noted(MPI_COMBINER_STRUCT);
  noted.count(count).counts(count, lengths).addresses(count, displacements);
  for (const datatype_ref& type : types) noted.type(type);
  noted.hand_over(t, newtype);
}

template <typename Count>
void make_subarray(int dimensions, const Count* sizes, const Count* subsizes, const Count* starts, int order,
                   MPI_Datatype old, MPI_Datatype* newtype) {
  const datatype_ref type = objects().type(old);
  const datatype_ref t = subarray_type(numbers(dimensions, sizes), numbers(dimensions, subsizes),
                                       numbers(dimensions, starts), order, type);
  arguments<Count>(MPI_COMBINER_SUBARRAY)
      .number(dimensions)
      .counts(dimensions, sizes)
      .counts(dimensions, subsizes)
      .counts(dimensions, starts)
      .number(order)
      .type(type)
      .hand_over(t, newtype);
}

template <typename Count>
void make_darray(int size, int rank, int dimensions, const Count* sizes, const int* kinds, const int* dargs,
                 const int* ranks, int order, MPI_Datatype old, MPI_Datatype* newtype) {
  const datatype_ref type = objects().type(old);
  const std::size_t n = length_of(dimensions);
  const datatype_ref t =
      darray_type(size, rank, numbers(dimensions, sizes), {{kinds, n}, {dargs, n}, {ranks, n}}, order, type);
  arguments<Count>(MPI_COMBINER_DARRAY)
      .number(size)
      .number(rank)
      .number(dimensions)
      .counts(dimensions, sizes)
      .numbers(dimensions, kinds)
      .numbers(dimensions, dargs)
      .numbers(dimensions, ranks)
      .number(order)
      .type(type)
      .hand_over(t, newtype);
}

template <typename Count>
void make_resized(MPI_Datatype old, MPI_Aint lower_bound, MPI_Aint extent, MPI_Datatype* newtype) {
  const datatype_ref type = objects().type(old);
  const datatype_ref t = resized_type(lower_bound, extent, type);
  arguments<Count>(MPI_COMBINER_RESIZED)
      .address(lower_bound)
      .address(extent)
      .type(type)
      .hand_over(t, newtype);
}

/// The smallest element of a kind that satisfies the arguments of Fortran's SELECTED_INT_KIND or
/// SELECTED_REAL_KIND.
datatype_ref fortran_type(int combiner, int precision, int range) {
  const auto within = [&](int digits, int exponent) {
    return (precision == MPI_UNDEFINED || precision <= digits) &&
           (range == MPI_UNDEFINED || range <= exponent);
  };
  const bool is_complex = combiner == MPI_COMBINER_F90_COMPLEX;
  int handle = MPI_DATATYPE_NULL;
  if (combiner == MPI_COMBINER_F90_INTEGER)
    handle = range <= 2    ? MPI_INTEGER1
             : range <= 4  ? MPI_INTEGER2
             : range <= 9  ? MPI_INTEGER4
             : range <= 18 ? MPI_INTEGER8
                           : MPI_DATATYPE_NULL;
  else if (within(6, 37))
    handle = is_complex ? MPI_COMPLEX8 : MPI_REAL4;
  else if (within(15, 307))
    handle = is_complex ? MPI_COMPLEX16 : MPI_REAL8;
  else if (within(18, 4931))
    handle = is_complex ? MPI_C_LONG_DOUBLE_COMPLEX : MPI_LONG_DOUBLE;
  else if (within(33, 4931))
    handle = is_complex ? MPI_COMPLEX32 : MPI_REAL16;
  if (handle == MPI_DATATYPE_NULL)
    throw error(MPI_ERR_ARG,
                "no type of Fortran has " + (combiner == MPI_COMBINER_F90_INTEGER
                                                 ? std::to_string(range) + " decimal digits"
                                                 : "the precision " + std::to_string(precision) +
                                                       " and the range " + std::to_string(range)));
  const datatype_ref newtype = copied_type(datatype_ref(predefined_type(handle)));
  newtype->contents.combiner = combiner;
  if (combiner != MPI_COMBINER_F90_INTEGER) newtype->contents.integers.push_back(precision);
  newtype->contents.integers.push_back(range);
  return newtype;
}

}  // namespace

IMBREX_MPI_DEFINE(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_contiguous", [&] { make_contiguous(count, oldtype, newtype); });
}
IMBREX_MPI_DEFINE(int, Type_contiguous_c, (MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_contiguous_c", [&] { make_contiguous(count, oldtype, newtype); });
}

IMBREX_MPI_DEFINE(int, Type_vector,
                  (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_vector", [&] { make_vector(count, blocklength, stride, oldtype, newtype); });
}
IMBREX_MPI_DEFINE(int, Type_vector_c,
                  (MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                   MPI_Datatype* newtype)) {
  return call("MPI_Type_vector_c", [&] { make_vector(count, blocklength, stride, oldtype, newtype); });
}

IMBREX_MPI_DEFINE(int, Type_create_hvector,
                  (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                   MPI_Datatype* newtype)) {
  return call("MPI_Type_create_hvector", [&] { make_hvector(count, blocklength, stride, oldtype, newtype); });
}
IMBREX_MPI_DEFINE(int, Type_create_hvector_c,
                  (MPI_Count count, MPI_Count blocklength, MPI_Count stride, MPI_Datatype oldtype,
                   MPI_Datatype* newtype)) {
  return call("MPI_Type_create_hvector_c",
              [&] { make_hvector(count, blocklength, stride, oldtype, newtype); });
}
IMBREX_MPI_DEFINE(int, Type_hvector,
                  (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
                   MPI_Datatype* newtype)) {
  return call("MPI_Type_hvector", [&] { make_hvector(count, blocklength, stride, oldtype, newtype); });
}

IMBREX_MPI_DEFINE(int, Type_indexed,
                  (int count, const int array_of_blocklengths[], const int array_of_displacements[],
                   MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_indexed",
              [&] { make_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype); });
}
IMBREX_MPI_DEFINE(int, Type_indexed_c,
                  (MPI_Count count, const MPI_Count array_of_blocklengths[],
                   const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_indexed_c",
              [&] { make_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype); });
}

IMBREX_MPI_DEFINE(int, Type_create_hindexed,
                  (int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
                   MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_create_hindexed",
              [&] { make_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype); });
}
IMBREX_MPI_DEFINE(int, Type_create_hindexed_c,
                  (MPI_Count count, const MPI_Count array_of_blocklengths[],
                   const MPI_Count array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_create_hindexed_c",
              [&] { make_hindexed(count, array_of_blocklengths, array_of_displacements, oldtype, newtype); });
}
IMBREX_MPI_DEFINE(int, Type_hindexed,
                  (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                   MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_hindexed", [&] {
    make_hindexed<int>(count, array_of_blocklengths, array_of_displacements, oldtype, newtype);
  });
}

IMBREX_MPI_DEFINE(int, Type_create_indexed_block,
                  (int count, int blocklength, const int array_of_displacements[], MPI_Datatype oldtype,
                   MPI_Datatype* newtype)) {
  return call("MPI_Type_create_indexed_block",
              [&] { make_indexed_block(count, blocklength, array_of_displacements, oldtype, newtype); });
}
IMBREX_MPI_DEFINE(int, Type_create_indexed_block_c,
                  (MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[],
                   MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_create_indexed_block_c",
              [&] { make_indexed_block(count, blocklength, array_of_displacements, oldtype, newtype); });
}

IMBREX_MPI_DEFINE(int, Type_create_hindexed_block,
                  (int count, int blocklength, const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
                   MPI_Datatype* newtype)) {
  return call("MPI_Type_create_hindexed_block",
              [&] { make_hindexed_block(count, blocklength, array_of_displacements, oldtype, newtype); });
}
IMBREX_MPI_DEFINE(int, Type_create_hindexed_block_c,
                  (MPI_Count count, MPI_Count blocklength, const MPI_Count array_of_displacements[],
                   MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_create_hindexed_block_c",
              [&] { make_hindexed_block(count, blocklength, array_of_displacements, oldtype, newtype); });
}

IMBREX_MPI_DEFINE(int, Type_create_struct,
                  (int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
                   const MPI_Datatype array_of_types[], MPI_Datatype* newtype)) {
  return call("MPI_Type_create_struct", [&] {
    make_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
  });
}
IMBREX_MPI_DEFINE(int, Type_create_struct_c,
                  (MPI_Count count, const MPI_Count array_of_blocklengths[],
                   const MPI_Count array_of_displacements[], const MPI_Datatype array_of_types[],
                   MPI_Datatype* newtype)) {
  return call("MPI_Type_create_struct_c", [&] {
    make_struct(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
  });
}
IMBREX_MPI_DEFINE(int, Type_struct,
                  (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
                   MPI_Datatype array_of_types[], MPI_Datatype* newtype)) {
  return call("MPI_Type_struct", [&] {
    make_struct<int>(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
  });
}

IMBREX_MPI_DEFINE(int, Type_create_subarray,
                  (int ndims, const int array_of_sizes[], const int array_of_subsizes[],
                   const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_create_subarray", [&] {
    make_subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
  });
}
IMBREX_MPI_DEFINE(int, Type_create_subarray_c,
                  (int ndims, const MPI_Count array_of_sizes[], const MPI_Count array_of_subsizes[],
                   const MPI_Count array_of_starts[], int order, MPI_Datatype oldtype,
                   MPI_Datatype* newtype)) {
  return call("MPI_Type_create_subarray_c", [&] {
    make_subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts, order, oldtype, newtype);
  });
}

IMBREX_MPI_DEFINE(int, Type_create_darray,
                  (int size, int rank, int ndims, const int array_of_gsizes[], const int array_of_distribs[],
                   const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype,
                   MPI_Datatype* newtype)) {
  return call("MPI_Type_create_darray", [&] {
    make_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, array_of_psizes, order,
                oldtype, newtype);
  });
}
IMBREX_MPI_DEFINE(int, Type_create_darray_c,
                  (int size, int rank, int ndims, const MPI_Count array_of_gsizes[],
                   const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[],
                   int order, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_create_darray_c", [&] {
    make_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, array_of_dargs, array_of_psizes, order,
                oldtype, newtype);
  });
}

IMBREX_MPI_DEFINE(int, Type_create_resized,
                  (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype)) {
  return call("MPI_Type_create_resized", [&] { make_resized<int>(oldtype, lb, extent, newtype); });
}
IMBREX_MPI_DEFINE(int, Type_create_resized_c,
                  (MPI_Datatype oldtype, MPI_Count lb, MPI_Count extent, MPI_Datatype* newtype)) {
  return call("MPI_Type_create_resized_c", [&] { make_resized<MPI_Count>(oldtype, lb, extent, newtype); });
}

IMBREX_MPI_DEFINE(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  return call("MPI_Type_dup", [&] {
    *newtype = MPI_DATATYPE_NULL;
    const datatype_ref type = objects().type(oldtype);
    const datatype_ref copy = copied_type(type);
    objects().attributes_of_type(oldtype).copy(oldtype, copy->attributes);
    arguments<int>(MPI_COMBINER_DUP).type(type).hand_over(copy, newtype);
  });
}

IMBREX_MPI_DEFINE(int, Type_create_f90_integer, (int r, MPI_Datatype* newtype)) {
  return call("MPI_Type_create_f90_integer",
              [&] { *newtype = objects().fortran_type(MPI_COMBINER_F90_INTEGER, 0, r, fortran_type); });
}
IMBREX_MPI_DEFINE(int, Type_create_f90_real, (int p, int r, MPI_Datatype* newtype)) {
  return call("MPI_Type_create_f90_real",
              [&] { *newtype = objects().fortran_type(MPI_COMBINER_F90_REAL, p, r, fortran_type); });
}
IMBREX_MPI_DEFINE(int, Type_create_f90_complex, (int p, int r, MPI_Datatype* newtype)) {
  return call("MPI_Type_create_f90_complex",
              [&] { *newtype = objects().fortran_type(MPI_COMBINER_F90_COMPLEX, p, r, fortran_type); });
}

}  // namespace imbrex::mpi
