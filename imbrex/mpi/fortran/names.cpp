// SPDX-License-Identifier: Apache-2.0
#include <imbrex/mpi/fortran/names.hpp>

#include <imbrex/mpi/image/program_copy.hpp>

// Common blocks, and variables of the module mpi_f08_link_constants. Fortran's modules define them; the
// linker uses the program's definitions if there are any.
extern "C" {
extern int mpifcmb5_[1];
extern int mpifcmb9_[1];
extern int mpipriv1_[2 + MPI_F_STATUS_SIZE];
extern int mpipriv2_[MPI_F_STATUS_SIZE + 1];
extern int MPIR_F08_MPI_BOTTOM;
extern int MPIR_F08_MPI_IN_PLACE;
extern MPI_F08_status MPIR_F08_MPI_STATUS_IGNORE_OBJ;
extern MPI_F08_status MPIR_F08_MPI_STATUSES_IGNORE_OBJ;
extern int f08_unweighted[1] __asm__("__mpi_f08_link_constants_MOD_mpi_unweighted");
extern int f08_weights_empty[1] __asm__("__mpi_f08_link_constants_MOD_mpi_weights_empty");
}

namespace imbrex::mpi::fortran {

namespace {

name name_of(void* in_common, void* in_module) {
  const program_copy* const copy = program_copy::running();
  if (copy == nullptr) return {{in_common, in_module, in_common, in_module}};
  return {{copy->own_variable(in_common), copy->own_variable(in_module), in_common, in_module}};
}

}  // namespace

names::names()
    : bottom(name_of(&mpipriv1_[0], &MPIR_F08_MPI_BOTTOM)),
      in_place(name_of(&mpipriv1_[1], &MPIR_F08_MPI_IN_PLACE)),
      status_ignore(name_of(&mpipriv1_[2], &MPIR_F08_MPI_STATUS_IGNORE_OBJ)),
      statuses_ignore(name_of(&mpipriv2_[0], &MPIR_F08_MPI_STATUSES_IGNORE_OBJ)),
      unweighted(name_of(mpifcmb5_, f08_unweighted)),
      weights_empty(name_of(mpifcmb9_, f08_weights_empty)) {}

}  // namespace imbrex::mpi::fortran
