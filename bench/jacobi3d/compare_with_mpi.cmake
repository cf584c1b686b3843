# SPDX-License-Identifier: Apache-2.0
# cmake -D JACOBI3D=<program> -D FOLDER=<for files> -D RANKS=<n> -P compare_with_mpi.cmake
#       -- mpirun -n <n> <MPI program>
# Fails unless the MPI program and jacobi3d give the same checksum, residual and blocks for the same problems,
# with and without manual overlap. With -D COMM=host or message the MPI program has its blocks in devices, and there is
# nothing but that way.
cmake_minimum_required(VERSION 3.25)

set(mpi_program "")
set(after_separator OFF)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(after_separator)
    list(APPEND mpi_program "${CMAKE_ARGV${i}}")
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(after_separator ON)
  endif()
endforeach()

function(run result)
  set(file ${FOLDER}/${result}.${RANKS}.${COMM}.json)
  execute_process(COMMAND ${ARGN} --iters 8 --warmup 1 --init random:3 --quiet --json ${file}
                  RESULT_VARIABLE status)
  if(NOT status STREQUAL "0")
    message(FATAL_ERROR "exit status ${status}: ${ARGN}")
  endif()
  file(READ ${file} line)
  file(REMOVE ${file})
  set(${result} "${line}" PARENT_SCOPE)
endfunction()

function(compare)
  run(ours ${JACOBI3D} --pes ${RANKS} ${ARGN})
  if(COMM)
    list(REMOVE_ITEM ARGN --overlap none)
    list(APPEND ARGN --comm ${COMM})
  endif()
  run(theirs ${mpi_program} ${ARGN})
  foreach(field checksum residual grid blocks iters pes overlap)
    string(JSON expected GET "${ours}" ${field})
    string(JSON seen GET "${theirs}" ${field})
    if(NOT seen STREQUAL expected)
      message(FATAL_ERROR "${field} with ${ARGN}: ${seen}, which must be ${expected}")
    endif()
  endforeach()
  string(JSON machine GET "${theirs}" machine)
  if(NOT machine STREQUAL "mpi")
    message(FATAL_ERROR "machine: ${machine}, which must be mpi")
  endif()
endfunction()

foreach(grid 43,9,17 9,17,43)  # cut across x, and across z
  if(COMM)
    compare(--grid ${grid} --overlap none)
  else()
    foreach(overlap none manual)
      compare(--grid ${grid} --overlap ${overlap})
    endforeach()
  endif()
endforeach()
if(COMM)
  return()
endif()

execute_process(COMMAND ${mpi_program} --overlap auto RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
if(NOT status STREQUAL "2" OR NOT errors MATCHES "--overlap 'auto'")
  message(FATAL_ERROR "--overlap auto: exit status ${status}, ${errors}")
endif()
