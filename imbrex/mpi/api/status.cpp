// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/object/status.hpp>

#include <climits>
#include <cstdint>
#include <cstring>

#include <imbrex/mpi/api/define.hpp>

namespace imbrex::mpi {

namespace {

std::int64_t whole(const MPI_Status& status, const datatype& type) {
  const std::int64_t bytes = bytes_of(status);
  if (type.size() == 0) return bytes == 0 ? 0 : MPI_UNDEFINED;
  return bytes % type.size() == 0 ? bytes / type.size() : MPI_UNDEFINED;
}

std::int64_t elements(const MPI_Status& status, const datatype& type) {
  const std::int64_t n = type.elements_in(bytes_of(status));
  return n < 0 ? MPI_UNDEFINED : n;
}

int as_int(std::int64_t n) { return n > INT_MAX ? MPI_UNDEFINED : int(n); }

// A status has the same five numbers in C and in Fortran.
template <typename From, typename To>
int convert(const char* function, const From* from, To* to) {
  static_assert(sizeof(MPI_Status) == sizeof(MPI_F08_status));
  static_assert(sizeof(MPI_Status) == MPI_F_STATUS_SIZE * sizeof(MPI_Fint));
  return call(function, [&] { std::memcpy(to, from, sizeof(MPI_Status)); });
}

}  // namespace

IMBREX_MPI_DEFINE(int, Get_count, (const MPI_Status* status, MPI_Datatype datatype, int* count)) {
  return call("MPI_Get_count", [&] { *count = as_int(whole(*status, *objects().type(datatype))); });
}
IMBREX_MPI_DEFINE(int, Get_count_c, (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)) {
  return call("MPI_Get_count_c", [&] { *count = whole(*status, *objects().type(datatype)); });
}
IMBREX_MPI_DEFINE(int, Get_elements, (const MPI_Status* status, MPI_Datatype datatype, int* count)) {
  return call("MPI_Get_elements", [&] { *count = as_int(elements(*status, *objects().type(datatype))); });
}
IMBREX_MPI_DEFINE(int, Get_elements_x, (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)) {
  return call("MPI_Get_elements_x", [&] { *count = elements(*status, *objects().type(datatype)); });
}
IMBREX_MPI_DEFINE(int, Get_elements_c, (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)) {
  return call("MPI_Get_elements_c", [&] { *count = elements(*status, *objects().type(datatype)); });
}

IMBREX_MPI_DEFINE(int, Status_set_elements, (MPI_Status * status, MPI_Datatype datatype, int count)) {
  return call("MPI_Status_set_elements",
              [&] { set_bytes(*status, objects().type(datatype)->bytes_in(count)); });
}
IMBREX_MPI_DEFINE(int, Status_set_elements_x, (MPI_Status * status, MPI_Datatype datatype, MPI_Count count)) {
  return call("MPI_Status_set_elements_x",
              [&] { set_bytes(*status, objects().type(datatype)->bytes_in(count)); });
}
IMBREX_MPI_DEFINE(int, Status_set_cancelled, (MPI_Status * status, int flag)) {
  return call("MPI_Status_set_cancelled", [&] { set_cancelled(*status, flag != 0); });
}
IMBREX_MPI_DEFINE(int, Test_cancelled, (const MPI_Status* status, int* flag)) {
  return call("MPI_Test_cancelled", [&] { *flag = is_cancelled(*status); });
}

IMBREX_MPI_DEFINE(int, Status_c2f, (const MPI_Status* c_status, MPI_Fint* f_status)) {
  return convert("MPI_Status_c2f", c_status, f_status);
}
IMBREX_MPI_DEFINE(int, Status_f2c, (const MPI_Fint* f_status, MPI_Status* c_status)) {
  return convert("MPI_Status_f2c", f_status, c_status);
}
IMBREX_MPI_DEFINE(int, Status_c2f08, (const MPI_Status* c_status, MPI_F08_status* f08_status)) {
  return convert("MPI_Status_c2f08", c_status, f08_status);
}
IMBREX_MPI_DEFINE(int, Status_f082c, (const MPI_F08_status* f08_status, MPI_Status* c_status)) {
  return convert("MPI_Status_f082c", f08_status, c_status);
}
IMBREX_MPI_DEFINE(int, Status_f2f08, (const MPI_Fint* f_status, MPI_F08_status* f08_status)) {
  return convert("MPI_Status_f2f08", f_status, f08_status);
}
IMBREX_MPI_DEFINE(int, Status_f082f, (const MPI_F08_status* f08_status, MPI_Fint* f_status)) {
  return convert("MPI_Status_f082f", f08_status, f_status);
}

}  // namespace imbrex::mpi
