// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/fortran/section.hpp>

#include <algorithm>
#include <array>
#include <cstring>

#include <imbrex/mpi/datatype/predefined.hpp>

namespace imbrex::mpi::fortran {

bool array_descriptor::is_contiguous() const {
  auto expected = static_cast<std::ptrdiff_t>(element_bytes);
  for (int d = 0; d < rank; ++d) {
    if (extent(d) <= 0) return true;  // empty, or of unknown size
    if (extent(d) > 1 && step(d) != expected) return false;
    expected *= extent(d);
  }
  return true;
}

std::size_t array_descriptor::elements() const {
  std::size_t n = 1;
  for (int d = 0; d < rank; ++d) n *= static_cast<std::size_t>(std::max<std::ptrdiff_t>(extent(d), 0));
  return n;
}

namespace {

/// A datatype that is an intermediate step of the section's own.
class temporary_type {
 public:
  temporary_type() = default;
  temporary_type(temporary_type&& other) noexcept : handle(std::exchange(other.handle, MPI_DATATYPE_NULL)) {}
  temporary_type& operator=(temporary_type&& other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~temporary_type() {
    if (handle != MPI_DATATYPE_NULL) PMPI_Type_free(&handle);
  }
  MPI_Datatype handle = MPI_DATATYPE_NULL;
};

void require(int code) {
  if (code != MPI_SUCCESS) throw error(code, "the datatype of a section cannot be made");
}

/// A type of the first `n` elements in the first `rank` dimensions.
temporary_type first_elements(const array_descriptor& array, const temporary_type& element, int rank,
                              std::int64_t n) {
  temporary_type result;
  if (rank == 0) {
    require(PMPI_Type_dup(element.handle, &result.handle));
    return result;
  }
  std::int64_t plane = 1;
  for (int d = 0; d < rank - 1; ++d) plane *= array.extent(d);
  const std::int64_t planes = n / plane, rest = n % plane;
  temporary_type whole;
  if (planes > 0) {
    const temporary_type one = first_elements(array, element, rank - 1, plane);
    require(PMPI_Type_create_hvector_c(planes, 1, array.step(rank - 1), one.handle, &whole.handle));
    if (rest == 0) return whole;
  }
  temporary_type last = first_elements(array, element, rank - 1, rest);
  if (planes == 0) return last;
  const std::array<MPI_Count, 2> lengths{1, 1}, places{0, planes * array.step(rank - 1)};
  const std::array<MPI_Datatype, 2> types{whole.handle, last.handle};
  require(PMPI_Type_create_struct_c(2, lengths.data(), places.data(), types.data(), &result.handle));
  return result;
}

/// Calls visit(address) for each element, in Fortran's order.
template <typename Visit>
void for_each_element(const array_descriptor& array, Visit visit) {
  std::array<std::ptrdiff_t, 15> at{};
  const std::size_t n = array.elements();
  for (std::size_t i = 0; i < n; ++i) {
    auto* address = static_cast<std::byte*>(array.base);
    for (int d = 0; d < array.rank; ++d) address += at[static_cast<std::size_t>(d)] * array.step(d);
    visit(address);
    for (int d = 0; d < array.rank; ++d) {
      auto& index = at[static_cast<std::size_t>(d)];
      if (++index < array.extent(d)) break;
      index = 0;
    }
  }
}

}  // namespace

/// Makes a datatype of the data if possible: for predefined types that divide the array's elements. False if
/// not.
bool section::describe(std::int64_t count, MPI_Datatype type) {
  const std::int64_t size = basic_size(type), bytes = static_cast<std::int64_t>(array_.element_bytes);
  if (size <= 0 || bytes % size != 0 || count * size % bytes != 0) return false;
  const std::int64_t n = count * size / bytes;
  if (n == 0 || n > static_cast<std::int64_t>(array_.elements())) return false;
  temporary_type element;
  require(PMPI_Type_contiguous_c(bytes / size, type, &element.handle));
  temporary_type whole = first_elements(array_, element, array_.rank, n);
  require(PMPI_Type_commit(&whole.handle));
  count_ = 1;
  type_ = std::exchange(whole.handle, MPI_DATATYPE_NULL);
  is_own_type_ = true;
  return true;
}

void section::copy_in(use when, access how) {
  if (when == use::ends_later)
    throw error(MPI_ERR_BUFFER,
                "a buffer is a section of an array, whose elements do not lie one behind the other, and the "
                "call returns before it has done with it: give a contiguous array, or a datatype of MPI "
                "itself of which the section has whole elements");
  copy_.resize(array_.elements() * array_.element_bytes);
  std::byte* to = copy_.data();
  for_each_element(array_, [&](const std::byte* element) {
    std::memcpy(to, element, array_.element_bytes);
    to += array_.element_bytes;
  });
  address_ = copy_.data();
  goes_back_ = how == access::read_and_written;
}

section::section(const array_descriptor& array, std::int64_t count, MPI_Datatype type, use when, access how)
    : array_(array), address_(buffer_of(array.base)), count_(count), type_(type) {
  if (array.rank > 0 && count > 0 && !array.is_contiguous() && !describe(count, type)) copy_in(when, how);
}

section::section(const array_descriptor& array, use when, access how)
    : array_(array), address_(buffer_of(array.base)) {
  if (array.rank > 0 && !array.is_contiguous()) copy_in(when, how);
}

section::~section() {
  if (is_own_type_) PMPI_Type_free(&type_);
  if (!goes_back_) return;
  const std::byte* from = copy_.data();
  for_each_element(array_, [&](std::byte* element) {
    std::memcpy(element, from, array_.element_bytes);
    from += array_.element_bytes;
  });
}

}  // namespace imbrex::mpi::fortran
