#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the interface of Fortran out of the headers of C: what each function of MPI is called by in Fortran, in C++,
and the constants and interfaces that Fortran programs see, in Fortran.

The names and the order of arguments are those of MPICH's libmpichfort, as gfortran makes them, so that programs that
were built for it find them: mpi_send_ and its spellings take addresses, mpi_send_f08ts_ takes descriptors for buffers,
mpi_send_f08ts_large_ counts of 64 bits.

usage: make_bindings.py HEADER_FOLDER OUTPUT_FOLDER    writes the files that are named below
       make_bindings.py HEADER_FOLDER --names          prints the names of functions of Fortran
"""
import pathlib
import sys

from functions_in_cpp import functions_cpp, functions_f08_cpp
from interface import function_names, read_constants, read_functions
from modules_in_fortran import (
    mpi_base_f90, mpi_constants_f90, mpi_f08_compile_constants_f90, mpi_f08_f90, mpi_f08_types_f90, mpi_sizeofs_f90,
    mpif_h)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    functions, constants = read_functions(folder), read_constants(folder)
    if sys.argv[2] == "--names":
        print("\n".join(function_names(functions)))
        return
    output = pathlib.Path(sys.argv[2])
    output.mkdir(parents=True, exist_ok=True)
    for name, text in (("functions.cpp", functions_cpp(functions)),
                       ("functions_f08.cpp", functions_f08_cpp(functions)),
                       ("mpif.h", mpif_h(constants)), ("mpi_constants.f90", mpi_constants_f90(constants)),
                       ("mpi_base.f90", mpi_base_f90(functions)), ("mpi_sizeofs.f90", mpi_sizeofs_f90(functions)),
                       ("mpi_f08_types.f90", mpi_f08_types_f90(functions)),
                       ("mpi_f08_compile_constants.f90", mpi_f08_compile_constants_f90(constants)),
                       ("mpi_f08.f90", mpi_f08_f90(functions))):
        (output / name).write_text(text)


if __name__ == "__main__":
    main()
