// SPDX-License-Identifier: Apache-2.0
// Programs built with MPICH's header run with Imbrex's library: constants, layouts and functions are equal.
#include <cstddef>
#include <cstdio>
#include <type_traits>

#include <imbrex/mpi/include/mpi.h>

namespace {

static_assert(sizeof(MPI_Status) == 20 && sizeof(MPI_F08_status) == 20);
static_assert(offsetof(MPI_Status, count_lo) == 0 && offsetof(MPI_Status, count_hi_and_cancelled) == 4);
static_assert(offsetof(MPI_Status, MPI_SOURCE) == 8 && offsetof(MPI_Status, MPI_TAG) == 12);
static_assert(offsetof(MPI_Status, MPI_ERROR) == 16);
static_assert(std::is_same_v<MPI_Comm, int> && std::is_same_v<MPI_Datatype, int> &&
              std::is_same_v<MPI_Request, int>);
static_assert(std::is_same_v<MPI_Aint, long> && std::is_same_v<MPI_Count, long> &&
              std::is_same_v<MPI_Offset, long>);

#define CONSTANT(name, value)
#define FUNCTION(result, name, parameters)                                                         \
  static_assert(std::is_same_v<decltype(name), result parameters>, #name " differs from MPICH's"); \
  static_assert(std::is_same_v<decltype(P##name), result parameters>, "P" #name " differs from MPICH's");
#include "abi_table.inc"
#undef CONSTANT
#undef FUNCTION

struct constant {
  const char* name;
  long own_value;
  long mpich_value;
};
const constant constants[] = {
#define CONSTANT(name, value) {#name, (long)(name), value},
#define FUNCTION(result, name, parameters)
#include "abi_table.inc"
};

}  // namespace

int main() {
  int different = 0;
  for (const constant& c : constants)
    if (c.own_value != c.mpich_value) {
      std::printf("%s is %ld, but %ld in MPICH\n", c.name, c.own_value, c.mpich_value);
      ++different;
    }
  std::printf("%zu constants compared, %d differ\n", sizeof constants / sizeof *constants, different);
  return different == 0 ? 0 : 1;
}
