// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/datatype/predefined.hpp>

#include <array>
#include <memory>
#include <string>

#include <imbrex/mpi/include/mpi.h>
#include <imbrex/mpi/object/error.hpp>
#include <imbrex/mpi/object/handle.hpp>

namespace imbrex::mpi {

namespace {

struct basic {
  int handle;
  const char* name;
  element of;
};
constexpr basic basics[] = {
    {MPI_CHAR, "MPI_CHAR", element::character},
    {MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", element::int8},
    {MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", element::uint8},
    {MPI_BYTE, "MPI_BYTE", element::byte},
    {MPI_WCHAR, "MPI_WCHAR", element::wide_character},
    {MPI_SHORT, "MPI_SHORT", element::int16},
    {MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", element::uint16},
    {MPI_INT, "MPI_INT", element::int32},
    {MPI_UNSIGNED, "MPI_UNSIGNED", element::uint32},
    {MPI_LONG, "MPI_LONG", element::long_integer},
    {MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", element::unsigned_long},
    {MPI_FLOAT, "MPI_FLOAT", element::float32},
    {MPI_DOUBLE, "MPI_DOUBLE", element::float64},
    {MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", element::long_float},
    {MPI_LONG_LONG_INT, "MPI_LONG_LONG_INT", element::int64},
    {MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", element::uint64},
    {MPI_PACKED, "MPI_PACKED", element::packed},
    {MPI_LB, "MPI_LB", element::none},
    {MPI_UB, "MPI_UB", element::none},
    {MPI_INT8_T, "MPI_INT8_T", element::int8},
    {MPI_INT16_T, "MPI_INT16_T", element::int16},
    {MPI_INT32_T, "MPI_INT32_T", element::int32},
    {MPI_INT64_T, "MPI_INT64_T", element::int64},
    {MPI_UINT8_T, "MPI_UINT8_T", element::uint8},
    {MPI_UINT16_T, "MPI_UINT16_T", element::uint16},
    {MPI_UINT32_T, "MPI_UINT32_T", element::uint32},
    {MPI_UINT64_T, "MPI_UINT64_T", element::uint64},
    {MPI_AINT, "MPI_AINT", element::int64},
    {MPI_OFFSET, "MPI_OFFSET", element::int64},
    {MPI_COUNT, "MPI_COUNT", element::int64},
    {MPI_C_BOOL, "MPI_C_BOOL", element::boolean},
    {MPI_C_FLOAT_COMPLEX, "MPI_C_COMPLEX", element::complex64},
    {MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", element::complex128},
    {MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", element::long_complex},
    {MPI_CXX_BOOL, "MPI_CXX_BOOL", element::boolean},
    {MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", element::complex64},
    {MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", element::complex128},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX", element::long_complex},
    {MPI_COMPLEX, "MPI_COMPLEX", element::complex64},
    {MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", element::complex128},
    {MPI_LOGICAL, "MPI_LOGICAL", element::logical},
    {MPI_REAL, "MPI_REAL", element::float32},
    {MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", element::float64},
    {MPI_INTEGER, "MPI_INTEGER", element::int32},
    {MPI_CHARACTER, "MPI_CHARACTER", element::character},
    {MPI_REAL4, "MPI_REAL4", element::float32},
    {MPI_REAL8, "MPI_REAL8", element::float64},
    {MPI_REAL16, "MPI_REAL16", element::float128},
    {MPI_COMPLEX8, "MPI_COMPLEX8", element::complex64},
    {MPI_COMPLEX16, "MPI_COMPLEX16", element::complex128},
    {MPI_COMPLEX32, "MPI_COMPLEX32", element::complex256},
    {MPI_INTEGER1, "MPI_INTEGER1", element::int8},
    {MPI_INTEGER2, "MPI_INTEGER2", element::int16},
    {MPI_INTEGER4, "MPI_INTEGER4", element::int32},
    {MPI_INTEGER8, "MPI_INTEGER8", element::int64},
};

constexpr std::array<int, 128> with_a_size() {
  std::array<int, 128> handles{};
  for (const basic& b : basics)
    if (b.of != element::none) handles[static_cast<std::uint32_t>(b.handle) & 0x7fU] = b.handle;
  return handles;
}

struct pair {
  int handle;
  const char* name;
  int first;
  int second;
};
constexpr pair pairs[] = {
    {MPI_FLOAT_INT, "MPI_FLOAT_INT", MPI_FLOAT, MPI_INT},
    {MPI_DOUBLE_INT, "MPI_DOUBLE_INT", MPI_DOUBLE, MPI_INT},
    {MPI_LONG_INT, "MPI_LONG_INT", MPI_LONG, MPI_INT},
    {MPI_SHORT_INT, "MPI_SHORT_INT", MPI_SHORT, MPI_INT},
    {MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", MPI_LONG_DOUBLE, MPI_INT},
    {MPI_2INT, "MPI_2INT", MPI_INT, MPI_INT},
    {MPI_2INTEGER, "MPI_2INTEGER", MPI_INTEGER, MPI_INTEGER},
    {MPI_2REAL, "MPI_2REAL", MPI_REAL, MPI_REAL},
    {MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION},
};

class table {
 public:
  table() {
    for (const basic& b : basics) place(b.handle) = std::make_unique<datatype>(b.name, b.handle, b.of);
    for (const pair& p : pairs) {
      datatype* first = place(p.first).get();
      datatype* second = place(p.second).get();
      const std::int64_t align = second->alignment();
      auto pair_type = std::make_unique<datatype>(
          std::vector<type_block>{{0, 1, first}, {(first->size() + align - 1) / align * align, 1, second}},
          true);
      pair_type->make_permanent();
      pair_type->contents.combiner = MPI_COMBINER_NAMED;
      pair_type->name = p.name;
      pair_type->set_handle(p.handle);
      pair_type->commit();
      place(p.handle) = std::move(pair_type);
    }
  }

  datatype* find(int handle) const {
    if (origin_of(handle) == handle_origin::mpi && kind_of(handle) == handle_kind::datatype) {
      datatype* found = basic_[std::uint32_t(handle) & 0x7f].get();
      return found && found->handle() == handle ? found : nullptr;
    }
    const std::uint32_t i = std::uint32_t(handle) - std::uint32_t(MPI_FLOAT_INT);
    return i < predefined_structures ? structures_[i].get() : nullptr;
  }

 private:
  std::unique_ptr<datatype>& place(int handle) {
    return origin_of(handle) == handle_origin::mpi ? basic_[std::uint32_t(handle) & 0x7f]
                                                   : structures_[index_of(handle)];
  }
  std::array<std::unique_ptr<datatype>, 128> basic_;
  std::array<std::unique_ptr<datatype>, predefined_structures> structures_;
};

}  // namespace

constexpr std::array<int, 128> basic_types = with_a_size();

datatype* predefined_type(int handle) {
  static const table all;
  return all.find(handle);
}

int match_size(int type_class, int bytes) {
  switch (type_class) {
    case MPI_TYPECLASS_REAL:
      if (bytes == 4) return MPI_REAL4;
      if (bytes == 8) return MPI_REAL8;
      if (bytes == 16) return MPI_REAL16;
      break;
    case MPI_TYPECLASS_INTEGER:
      if (bytes == 1) return MPI_INTEGER1;
      if (bytes == 2) return MPI_INTEGER2;
      if (bytes == 4) return MPI_INTEGER4;
      if (bytes == 8) return MPI_INTEGER8;
      break;
    case MPI_TYPECLASS_COMPLEX:
      if (bytes == 8) return MPI_COMPLEX8;
      if (bytes == 16) return MPI_COMPLEX16;
      if (bytes == 32) return MPI_COMPLEX32;
      break;
    default:
      throw error(MPI_ERR_ARG,
                  std::to_string(type_class) +
                      " is no class of datatypes: give MPI_TYPECLASS_REAL, _INTEGER or _COMPLEX");
  }
  throw error(MPI_ERR_ARG, "there is no datatype of that class with " + std::to_string(bytes) +
                               " bytes; give a size that the compiler has");
}

}  // namespace imbrex::mpi
